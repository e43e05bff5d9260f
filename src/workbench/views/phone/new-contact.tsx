import { Field, Form } from '../../elements/form.js';
import { hrefOf } from '../../live/route.js';
import { operations } from '../../surface/operations.js';
import { useBench } from '../bench.js';

/** Creates a contact through the API, and shows it. */
export function NewContact({ phone: given = '+15551234567' }: { readonly phone?: string }) {
  const { live, route } = useBench();
  return (
    <Form
      label="New contact"
      submit="Create the contact"
      onSubmit={async (value) => {
        const phone = value('phone').trim();
        const firstName = value('properties.firstName').trim();
        await live.surface.api(operations.contacts.upsert, {
          body: { phone, ...(firstName !== '' && { properties: { firstName } }) },
        });
        const { view, parameters } = route.peek();
        location.hash = hrefOf(view, { ...parameters, phone });
      }}
    >
      <Field label="Phone" name="phone" inputMode="tel" value={given} placeholder="+15551234567" required />
      <Field label="First name (optional)" name="properties.firstName" placeholder="Ada" />
    </Form>
  );
}
