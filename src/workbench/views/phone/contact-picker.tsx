import { useState } from 'preact/hooks';
import { Foreign, Initial } from '../../elements/foreign.js';
import { Field, Form, type Given } from '../../elements/form.js';
import { announce } from '../../elements/notices.js';
import { hrefOfPhone } from '../../live/route.js';
import { counted } from '../../reading/counted.js';
import { isFound, type PhoneContact } from '../../reading/people.js';
import { control, operations } from '../../surface/operations.js';
import { RefusedError } from '../../surface/refused-error.js';
import type { Surface } from '../../surface/surface.js';
import { useLive } from '../use-live.js';

/** The most contacts in the list. The search finds the others. */
const mostListed = 60;

/** The contacts to choose from, with a search and a way to make another one. */
export function ContactPicker({ chosen }: { readonly chosen: string }) {
  const live = useLive();
  const people = [...live.people.value.values()];
  const [search, setSearch] = useState('');
  const text = search.trim();
  const found = text === '' ? people : people.filter((person) => isFound(person, text));
  const isPhone = /^\+\d{7,15}$/.test(text);
  return (
    <div class="panel picker">
      <label>
        Find a contact
        <input
          type="search"
          value={search}
          placeholder="Phone or first name"
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </label>
      <ul class="bare people" aria-label="Contacts">
        {found.slice(0, mostListed).map((person) => (
          <li key={person.id}>
            <a href={hrefOfPhone(person.phone)} aria-current={person.phone === chosen ? 'true' : undefined}>
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
            <a href={hrefOfPhone(text)}>
              <span>Search for</span>
              <span>{text}</span>
            </a>
          </li>
        )}
      </ul>
      {found.length > mostListed && (
        <small>
          {live.hasMorePeople.value && 'More than '}
          {counted(found.length - mostListed)} more
        </small>
      )}
      {found.length === 0 && !isPhone && <small>Not among the loaded contacts. Enter the whole phone.</small>}
      <details class="more" open={people.length === 0}>
        <summary>+ New contact</summary>
        <NewContact />
      </details>
    </div>
  );
}

/** The contact with a phone or an id. Undefined if there is none. */
export function findContact(surface: Surface, contact: string): Promise<PhoneContact | undefined> {
  return surface.control(control.contacts.read, { path: { contact } }).catch((error: unknown) => {
    if (error instanceof RefusedError && error.status === 404) return undefined;
    throw error;
  });
}

/** Creates a contact through the API, and shows it. Changes no contact that exists: it leads to that one. */
export function NewContact({ phone: known = '' }: { readonly phone?: string }) {
  const { surface } = useLive();
  const create = async (given: Given) => {
    const phone = given('phone').trim();
    const firstName = given('properties.firstName').trim();
    if (phone !== '' && (await findContact(surface, phone)) !== undefined)
      announce(`${phone} is a contact already.`);
    else
      await surface.api(operations.contacts.upsert, {
        body: { phone, ...(firstName !== '' && { properties: { firstName } }) },
      });
    location.assign(hrefOfPhone(phone));
  };
  return (
    <Form label="New contact" submit="Create the contact" keeps onSubmit={create}>
      <Field label="Phone" name="phone" inputMode="tel" value={known} placeholder="+15551234567" required />
      <Field label="First name (optional)" name="properties.firstName" placeholder="Ada" />
    </Form>
  );
}
