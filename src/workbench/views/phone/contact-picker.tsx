import { useSignal } from '@preact/signals';
import { Foreign } from '../../elements/foreign.js';
import { Field, Form } from '../../elements/form.js';
import { Initial } from '../../elements/initial.js';
import { hrefOf } from '../../live/route.js';
import { counted } from '../../reading/counted.js';
import { type Contact, firstNameIn, isFound, type Person } from '../../reading/people.js';
import { control, operations } from '../../surface/operations.js';
import { RefusedError } from '../../surface/refused-error.js';
import type { Surface } from '../../surface/surface.js';
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
      {found.length > mostListed && <small>{counted(found.length - mostListed)} more</small>}
      {found.length === 0 && !isPhone && <small>Not among the loaded contacts. Enter the whole phone.</small>}
      <details class="more" open={people.length === 0}>
        <summary>+ New contact</summary>
        <NewContact />
      </details>
    </div>
  );
}

/** The contact with a phone or an id. Undefined if there is none. */
export function findContact(surface: Surface, contact: string): Promise<Contact | undefined> {
  return surface.control(control.contacts.read, { path: { contact } }).catch((error: unknown) => {
    if (error instanceof RefusedError && error.status === 404) return undefined;
    throw error;
  });
}

/** Creates a contact through the API, and shows it. Changes no contact that exists: it leads to that one. */
export function NewContact({ phone: given = '' }: { readonly phone?: string }) {
  const { live, route } = useBench();
  const existing = useSignal<Contact | undefined>(undefined);
  const hrefFor = (phone: string) => {
    const { view, parameters } = route.peek();
    return hrefOf(view, { ...parameters, phone });
  };
  const { value: found } = existing;
  const name = found && firstNameIn(found.properties);
  return (
    <Form
      label="New contact"
      submit="Create the contact"
      keeps
      onSubmit={async (value) => {
        const phone = value('phone').trim();
        const firstName = value('properties.firstName').trim();
        existing.value = phone === '' ? undefined : await findContact(live.surface, phone);
        if (existing.value !== undefined) return;
        await live.surface.api(operations.contacts.upsert, {
          body: { phone, ...(firstName !== '' && { properties: { firstName } }) },
        });
        location.hash = hrefFor(phone);
      }}
    >
      <Field label="Phone" name="phone" inputMode="tel" value={given} placeholder="+15551234567" required />
      <Field label="First name (optional)" name="properties.firstName" placeholder="Ada" />
      {found && (
        <p class="problem" role="alert">
          {found.phone} is {name ?? 'a contact'} already.{' '}
          <a href={hrefFor(found.phone)}>Open {name ?? found.phone}</a>
        </p>
      )}
    </Form>
  );
}
