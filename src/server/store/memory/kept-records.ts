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

/** How many sends, processed events, finished deliveries and ended journey runs are kept, of each kind. */
const limit = 10_000;

/**
 * Records of one kind in memory by id, in the order of their numbers. A record has its number from its creation. Keeps the newest
 * of the finished records, up to a limit.
 */
export class NumberedRecords<Kept extends { readonly id: string }> {
  readonly #kept = new Map<string, readonly [number: number, record: Kept]>();
  readonly #options: KeptOptions;
  readonly #sizeOf: (record: Kept) => number;
  readonly #isOver: (record: Kept) => boolean;
  readonly #over = new Set<string>();
  /** One iterator for all removals, because a new one would skip all removed ids that the set has not compacted yet. */
  readonly #oldestOver = this.#over.values();
  /** How many records were dropped to make room. */
  forgotten = 0;

  /**
   * @param sizeOf - Returns the size of a record on a page, in bytes.
   * @param isOver - Whether a record is finished, so that it can be dropped to make room.
   */
  constructor(
    options: KeptOptions,
    sizeOf: (record: Kept) => number = () => 0,
    isOver: (record: Kept) => boolean = () => false,
  ) {
    this.#options = options;
    this.#sizeOf = sizeOf;
    this.#isOver = isOver;
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
    if (!this.#isOver(record)) return;
    this.#over.add(record.id);
    if (this.#over.size > limit) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const oldest = this.#oldestOver.next().value;
    if (oldest !== undefined) this.drop(oldest);
    this.forgotten += 1;
  }

  /** The number of a kept record. */
  numberOf(id: string): number {
    return this.#kept.get(id)?.[0] ?? 0;
  }

  /** Removes the record. False if there is none. */
  drop(id: string): boolean {
    this.#over.delete(id);
    const isDropped = this.#kept.delete(id);
    if (isDropped) this.#options.changed();
    return isDropped;
  }

  /** Removes all records. Later ones have other numbers. */
  clear(): void {
    this.#kept.clear();
    this.#over.clear();
    this.forgotten = 0;
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

/** Templates, segments, journeys or subscriptions. */
export class Definitions<Kept extends { readonly id: string }> extends NumberedRecords<Kept> {
  /** Replaces all definitions. */
  load(definitions: readonly Kept[]): void {
    this.clear();
    for (const definition of definitions) this.set(definition);
  }

  async list(): Promise<readonly Kept[]> {
    return this.all();
  }

  async find(id: string): Promise<Kept | undefined> {
    return this.get(id);
  }

  async put(definition: Kept): Promise<void> {
    this.set(definition);
  }

  async delete(id: string): Promise<boolean> {
    return this.drop(id);
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

  override drop(id: string): boolean {
    const contactId = this.get(id)?.contactId ?? '';
    const ofContact = this.#ofContacts.get(contactId);
    ofContact?.delete(id);
    if (ofContact?.size === 0) this.#ofContacts.delete(contactId);
    return super.drop(id);
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

  /** Returns the records whose lease has expired: of the given ones, in the given order. Default: of all, in the order of their claims. */
  expired(ids: Iterable<string> = this.#holds.keys()): readonly string[] {
    if (this.#options.lease.duration === Number.POSITIVE_INFINITY) return [];
    return [...ids].filter((id) => this.#holds.has(id) && !this.isHeld(id));
  }
}
