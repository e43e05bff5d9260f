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

/** The latest claim of a record. */
interface Hold {
  readonly token: string;
  readonly until: number;
}

/**
 * Records of one kind in memory by id, in the order of their numbers, and the claims on them. A record has its number from its
 * creation. Keeps the newest of the finished records, up to a limit.
 */
export class NumberedRecords<Kept extends { readonly id: string }> {
  readonly #kept = new Map<string, readonly [number: number, record: Kept]>();
  readonly #options: KeptOptions;
  readonly #sizeOf: (record: Kept) => number;
  readonly #isOver: (record: Kept) => boolean;
  /** By the record's id. */
  readonly #holds = new Map<string, Hold>();
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

  /** Removes the record, and ends the claim on it. False if there is none. */
  drop(id: string): boolean {
    this.#over.delete(id);
    this.#holds.delete(id);
    const isDropped = this.#kept.delete(id);
    if (isDropped) this.#options.changed();
    return isDropped;
  }

  /** Replaces all records, and ends all claims. The new ones have other numbers. */
  load(records: readonly Kept[]): void {
    this.#kept.clear();
    this.#holds.clear();
    this.#over.clear();
    this.forgotten = 0;
    for (const record of records) this.set(record);
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

  /** Ends the claim, and returns its record. Undefined if the claim is not the latest of the record, or has ended. */
  settle({ id, token }: Claim): Kept | undefined {
    if (this.#holds.get(id)?.token !== token) return undefined;
    this.#holds.delete(id);
    return this.get(id);
  }

  /** Returns the records whose lease has expired. Their latest claims may still settle them. */
  expired(): readonly Kept[] {
    if (this.#options.lease.duration === Number.POSITIVE_INFINITY) return [];
    return this.all().filter(({ id }) => this.#holds.has(id) && !this.isHeld(id));
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
export class MemoryDefinitions<Kept extends { readonly id: string }> extends NumberedRecords<Kept> {
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

  override load(records: readonly Kept[]): void {
    this.#ofContacts.clear();
    super.load(records);
  }
}

/** Whether a record has these values. */
export function hasFields(record: object, fields: object): boolean {
  return Object.entries(fields).every(
    ([name, value]) => value === undefined || Reflect.get(record, name) === value,
  );
}
