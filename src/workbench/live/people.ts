import { contactOf, type NamedContact } from '../reading/describe-entry.js';
import { firstNameIn, type Person, type PhoneContact } from '../reading/people.js';
import type { EntryJson, EntryJsonOf } from '../surface/entry.js';
import { parsed } from '../surface/refused-error.js';

type Listed = readonly Pick<PhoneContact, 'id' | 'phone' | 'properties'>[];

/** The contacts that the page knows: those of the journal's entries, and those that the server listed. */
export class People {
  /** Grows when a contact comes, or gets another name. */
  version = 0;
  /** By id, and by phone. */
  readonly #known = new Map<string, Person>();
  /** The ids of those that did something. Who did it last comes last. */
  readonly #active = new Set<string>();
  readonly #deleted = new Set<string>();
  #listed: Listed = [];

  /** Everyone, by id: those of the journal first, newest first, then the others. */
  get all(): ReadonlyMap<string, Person> {
    const ids = [...[...this.#active].reverse(), ...this.#listed.map(({ id }) => id)];
    return new Map(ids.flatMap((id) => this.#known.get(id) ?? []).map((person) => [person.id, person]));
  }

  /** Who has this id or phone, also if nothing else is known. Undefined for neither. */
  of({ phone, contactId }: NamedContact): Person | undefined {
    const id = contactId ?? phone;
    if (id === undefined) return undefined;
    return this.#known.get(id) ?? this.#known.get(phone ?? id) ?? { id, phone: phone ?? id, name: undefined };
  }

  isDeleted(contactId: string): boolean {
    return this.#deleted.has(contactId);
  }

  /** Learns from an entry who a contact is. */
  add(entry: EntryJson): void {
    if (entry.type === 'request') this.#addRequest(entry);
    else this.#addNamed(entry);
  }

  /** Learns what the server listed. A name that a later request gave stays. */
  list(contacts: Listed): void {
    if (contacts === this.#listed) return;
    this.#listed = contacts;
    for (const { id, phone, properties } of contacts)
      this.#learn(id, phone, this.#known.get(id)?.name ?? firstNameIn(properties));
  }

  #addNamed(entry: EntryJson): void {
    const { phone, contactId: id } = contactOf(entry);
    if (id === undefined || phone === undefined) return;
    this.#learn(id, phone);
    if (entry.type === 'attempt') return;
    this.#active.delete(id);
    this.#active.add(id);
  }

  #addRequest({ operation, status = 0, responseBody = '', path }: EntryJsonOf<'request'>): void {
    if (!operation.startsWith('contacts.') || status < 200 || status > 299) return;
    if (operation === 'contacts.delete') this.#deleted.add(path.split('/').at(-1) ?? '');
    const { id, properties } = Object(parsed(responseBody));
    const phone: unknown = Object(properties).phone ?? this.#known.get(id)?.phone;
    if (typeof id === 'string' && typeof phone === 'string') this.#learn(id, phone, firstNameIn(properties));
  }

  #learn(id: string, phone: string, name = this.#known.get(id)?.name): void {
    const known = this.#known.get(id);
    if (known?.phone === phone && known.name === name) return;
    const person = { id, phone, name };
    this.#known.set(id, person).set(phone, person);
    this.version += 1;
  }
}
