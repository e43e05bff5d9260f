import { Field, Form } from '../../elements/form.js';
import { announce } from '../../elements/notices.js';
import type { Contact } from '../../reading/people.js';
import { operations } from '../../surface/operations.js';
import { parsed } from '../../surface/refused-error.js';
import { useBench } from '../bench.js';

/** Tracks an event of a contact by hand. */
export function EventPanel({ contact: { phone } }: { readonly contact: Contact }) {
  const { live } = useBench();
  const known = live.heard.value;
  const heard = [...(known ?? [])];
  return (
    <div class="panel">
      <Form
        label="Track an event"
        submit="Track the event"
        keeps
        onSubmit={async (given) => {
          const properties = parsed(given('properties') || '{}');
          if (typeof properties !== 'object' || properties === null || Array.isArray(properties))
            throw new Error('Write the properties as a JSON object, such as {"orderId": "A-1001"}.');
          const event = given('event').trim();
          await live.surface.api(operations.events.track, {
            body: { event, phone, properties: { ...properties } },
          });
          const isUnheard = known?.has(event) === false;
          announce(`The event is tracked${isUnheard ? ', but no journey or segment listens to it' : ''}.`);
        }}
      >
        <Field label="Event" name="event">
          <input name="event" list="heard-events" defaultValue={heard[0] ?? ''} required autocomplete="off" />
        </Field>
        <datalist id="heard-events">
          {heard.map((event) => (
            <option key={event} value={event} />
          ))}
        </datalist>
        <Field label="Properties, as JSON" name="properties">
          <textarea
            class="code"
            name="properties"
            rows={4}
            spellcheck={false}
            placeholder='{"orderId": "A-1001"}'
          />
        </Field>
      </Form>
      {heard.length > 0 && <small>Journeys and segments listen to {heard.join(', ')}.</small>}
    </div>
  );
}
