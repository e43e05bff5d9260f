import { type Page, type PageRange, pageOf } from '../../model/page.js';
import type { Claim } from '../store.js';

/** How long a claim is valid, by the store's own time. */
export interface Lease {
  /** In milliseconds. */
  readonly duration: number;
  /** Milliseconds since any fixed moment. */
  readonly now: () => number;
}

/** What the aggregates of a workspace share. */
export interface KeptOptions {
  readonly lease: Lease;
  /** Returns a number that is greater than all before. */
  readonly newNumber: () => number;
  /** Called at each change. */
  readonly changed: () => void;
}

/** Records of one kind in memory by id, in the order of their addition: templates, segments, journeys or subscriptions. */
export class RecordsById<Kept extends { readonly id: string }> {
  readonly #byId = new Map<string, Kept>();
  readonly #changed: () => void;

  constructor({ changed }: KeptOptions) {
    this.#changed = changed;
  }

  /** Replaces all records. */
  load(records: readonly Kept[]): void {
    this.#byId.clear();
    for (const record of records) this.#byId.set(record.id, record);
  }

  async list(): Promise<readonly Kept[]> {
    return this.all();
  }

  async find(id: string): Promise<Kept | undefined> {
    return this.get(id);
  }

  get(id: string): Kept | undefined {
    return this.#byId.get(id);
  }

  async put(record: Kept): Promise<void> {
    this.#byId.set(record.id, record);
    this.#changed();
  }

  async delete(id: string): Promise<boolean> {
    const isDeleted = this.#byId.delete(id);
    if (isDeleted) this.#changed();
    return isDeleted;
  }

  all(): readonly Kept[] {
    return [...this.#byId.values()];
  }
}

/** Records of one kind in memory by id, in the order of their numbers. A record has its number from its creation. */
export class NumberedRecords<Kept extends { readonly id: string }> {
  readonly #kept = new Map<string, readonly [number: number, record: Kept]>();
  readonly #options: KeptOptions;
  readonly #sizeOf: (record: Kept) => number;

  /** @param sizeOf - Returns the size of a record, in bytes. */
  constructor(options: KeptOptions, sizeOf: (record: Kept) => number) {
    this.#options = options;
    this.#sizeOf = sizeOf;
  }

  get size(): number {
    return this.#kept.size;
  }

  get(id: string): Kept | undefined {
    return this.#kept.get(id)?.[1];
  }

  /** Adds the record at the end, or replaces the one with its id. */
  set(record: Kept): void {
    const { newNumber, changed } = this.#options;
    const [number = newNumber()] = this.#kept.get(record.id) ?? [];
    this.#kept.set(record.id, [number, record]);
    changed();
  }

  delete(id: string): void {
    if (this.#kept.delete(id)) this.#options.changed();
  }

  /** Removes all records. Later ones have other numbers. */
  clear(): void {
    this.#kept.clear();
  }

  ids(): Iterable<string> {
    return this.#kept.keys();
  }

  all(): readonly Kept[] {
    return Array.from(this.#kept.values(), ([, record]) => record);
  }

  /** Returns a page of the records for which `isWanted` returns true. */
  page(isWanted: (record: Kept) => boolean, range: PageRange): Page<Kept> {
    return pageOf(this.#wanted(isWanted), range, this.#sizeOf);
  }

  *#wanted(isWanted: (record: Kept) => boolean) {
    for (const numbered of this.#kept.values()) if (isWanted(numbered[1])) yield numbered;
  }
}

/** Records that belong to contacts. */
export class RecordsOfContacts<
  Kept extends { readonly id: string; readonly contactId: string },
> extends NumberedRecords<Kept> {
  readonly #ofContacts = new Map<string, Map<string, Kept>>();

  /** The records of a contact, in the order of their addition. */
  of(contactId: string): readonly Kept[] {
    return [...(this.#ofContacts.get(contactId)?.values() ?? [])];
  }

  override set(record: Kept): void {
    super.set(record);
    const ofContact = this.#ofContacts.get(record.contactId) ?? new Map<string, Kept>();
    this.#ofContacts.set(record.contactId, ofContact.set(record.id, record));
  }

  override delete(id: string): void {
    const contactId = this.get(id)?.contactId ?? '';
    const ofContact = this.#ofContacts.get(contactId);
    ofContact?.delete(id);
    if (ofContact?.size === 0) this.#ofContacts.delete(contactId);
    super.delete(id);
  }

  override clear(): void {
    this.#ofContacts.clear();
    super.clear();
  }
}

/** Whether a record has these values. */
export function hasFields(record: object, fields: object): boolean {
  return Object.entries(fields).every(
    ([name, value]) => value === undefined || Reflect.get(record, name) === value,
  );
}

interface Hold {
  readonly token: string;
  readonly until: number;
}

/** The claims of one kind of record. */
export class Claims {
  readonly #options: KeptOptions;
  /** By the record's id. */
  readonly #holds = new Map<string, Hold>();

  constructor(options: KeptOptions) {
    this.#options = options;
  }

  /** Claims a record without a running lease. */
  claim(id: string): Claim {
    const { lease, newNumber } = this.#options;
    const token = String(newNumber());
    this.#holds.set(id, { token, until: lease.now() + lease.duration });
    return { id, token };
  }

  isHeld(id: string): boolean {
    const hold = this.#holds.get(id);
    return hold !== undefined && hold.until > this.#options.lease.now();
  }

  /** Ends the claim. False if it is not the latest of its record, or has ended. */
  settle({ id, token }: Claim): boolean {
    return this.#holds.get(id)?.token === token && this.#holds.delete(id);
  }

  /** Ends the claim on a deleted record, if there is one. */
  drop(id: string): void {
    this.#holds.delete(id);
  }

  clear(): void {
    this.#holds.clear();
  }

  /** Returns the given records whose lease has expired, in the given order. */
  expired(ids: Iterable<string>): readonly string[] {
    if (this.#options.lease.duration === Number.POSITIVE_INFINITY) return [];
    return [...ids].filter((id) => this.#holds.has(id) && !this.isHeld(id));
  }
}

/** How many sends, processed events, finished deliveries and ended journey runs are kept, of each kind. */
const limit = 10_000;

/** Keeps the ids of the newest finished records, up to a limit. */
export class Retention {
  readonly #ids = new Set<string>();
  /** One iterator for all removals, because a new one would skip all removed ids that the set has not compacted yet. */
  readonly #oldestFirst = this.#ids.values();
  /** How many records were dropped to make room. */
  forgotten = 0;

  /** Adds a record, and returns the id of the one to drop for it, if any. */
  add(id: string): string | undefined {
    this.#ids.add(id);
    if (this.#ids.size <= limit) return undefined;
    const oldest = this.#oldestFirst.next().value;
    if (oldest !== undefined) this.#ids.delete(oldest);
    this.forgotten += 1;
    return oldest;
  }

  /** Removes a record that was deleted. */
  delete(id: string): void {
    this.#ids.delete(id);
  }

  clear(): void {
    this.#ids.clear();
    this.forgotten = 0;
  }
}
