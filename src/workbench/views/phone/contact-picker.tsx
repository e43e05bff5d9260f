import { useSignal } from '@preact/signals';
import { Foreign } from '../../elements/foreign.js';
import { Field, Form } from '../../elements/form.js';
import { Initial } from '../../elements/initial.js';
import { hrefOf } from '../../live/route.js';
import { isFound, type Person } from '../../reading/people.js';
import { operations } from '../../surface/operations.js';
import { useBench } from '../bench.js';

/** The most contacts in the list. The search finds the others. */
const mostListed = 60;

/** The contacts to choose from, with a search and a way to make another one. */
export function ContactPicker({
  people,
  chosen,
}: {
  readonly people: readonly Person[];
  readonly chosen: string;
}) {
  const { route } = useBench();
  const search = useSignal('');
  const { view, parameters } = route.value;
  const text = search.value.trim();
  const found = text === '' ? people : people.filter((person) => isFound(person, text));
  const isPhone = /^\+\d{7,15}$/.test(text);
  const hrefFor = (phone: string) => hrefOf(view, { ...parameters, phone });
  return (
    <div class="panel picker">
      <label>
        Find a contact
        <input
          type="search"
          value={search.value}
          placeholder="Phone or first name"
          onInput={(event) => {
            search.value = event.currentTarget.value;
          }}
        />
      </label>
      <ul class="bare people" aria-label="Contacts">
        {found.slice(0, mostListed).map((person) => (
          <li key={person.id}>
            <a href={hrefFor(person.phone)} aria-current={person.phone === chosen ? 'true' : undefined}>
              <Initial {...person} />
              <span class="grow">
                <Foreign text={person.name ?? ''} most={200} />
              </span>
              <span>
                <Foreign text={person.phone} most={40} />
              </span>
            </a>
          </li>
        ))}
        {isPhone && !found.some(({ phone }) => phone === text) && (
          <li>
            <a href={hrefFor(text)}>
              <span>Search for</span>
              <span>{text}</span>
            </a>
          </li>
        )}
      </ul>
      {found.length > mostListed && <small>{(found.length - mostListed).toLocaleString('en')} more</small>}
      {found.length === 0 && !isPhone && <small>Not among the loaded contacts. Enter the whole phone.</small>}
      <details class="more" open={people.length === 0}>
        <summary>+ New contact</summary>
        <NewContact />
      </details>
    </div>
  );
}

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
