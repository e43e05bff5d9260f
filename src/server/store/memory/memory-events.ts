import TinyQueue from 'tinyqueue';
import type { Page, PageRange } from '../../model/page.js';
import type { EventRecord } from '../../model/records.js';
import type { Claim, ClaimedEvent, EventFields, EventStore } from '../store.js';
import { Claims, hasFields, type KeptOptions, RecordsOfContacts } from './kept-records.js';

/** An event that nobody processes yet. */
interface Waiting {
  readonly id: string;
  /** Its order of arrival, which it keeps when it is released. */
  readonly place: number;
}

/** One workspace's tracked events in memory. */
export class MemoryEvents implements EventStore {
  readonly records: RecordsOfContacts<EventRecord>;
  /** The places of the unprocessed events, oldest first. */
  readonly #unprocessed = new Map<string, number>();
  /** The unprocessed events without a claim, and some that were deleted. */
  readonly #waiting = new TinyQueue<Waiting>([], (one, other) => one.place - other.place);
  readonly #claims: Claims;
  #added = 0;

  constructor(options: KeptOptions) {
    this.records = new RecordsOfContacts(
      options,
      ({ properties }) => JSON.stringify(properties).length,
      ({ id }) => !this.#unprocessed.has(id),
    );
    this.#claims = new Claims(options);
  }

  /** Replaces all events. */
  load(events: readonly EventRecord[], waitingIds: readonly string[]): void {
    for (const kept of [this.records, this.#unprocessed, this.#claims]) kept.clear();
    const waiting = new Set(waitingIds);
    for (const event of events) {
      if (waiting.has(event.id)) this.add(event);
      else this.records.set(event);
    }
  }

  /** Adds an unprocessed event. */
  add(event: EventRecord): void {
    const { id } = event;
    const place = this.#added;
    this.#added += 1;
    this.#unprocessed.set(id, place);
    this.#waiting.push({ id, place });
    this.records.set(event);
  }

  async claimNext(): Promise<ClaimedEvent | undefined> {
    const [expired] = this.#claims.expired(this.#unprocessed.keys());
    const event = this.records.get(expired ?? this.#nextWaiting() ?? '');
    return event && { claim: this.#claims.claim(event.id), event };
  }

  async release(claim: Claim): Promise<void> {
    const place = this.#unprocessed.get(claim.id);
    if (place !== undefined && this.#claims.settle(claim)) this.#waiting.push({ id: claim.id, place });
  }

  complete(claim: Claim): boolean {
    const event = this.records.get(claim.id);
    if (event === undefined || !this.#claims.settle(claim)) return false;
    this.#unprocessed.delete(claim.id);
    this.records.set(event);
    return true;
  }

  async count(contactId: string, name: string, since: number): Promise<number> {
    return this.records.of(contactId).filter(({ id, event, acceptedAt }) => {
      return event === name && acceptedAt > since && !this.#unprocessed.has(id);
    }).length;
  }

  deleteOf(contactId: string): void {
    for (const { id } of this.records.of(contactId)) {
      this.records.drop(id);
      this.#unprocessed.delete(id);
      this.#claims.drop(id);
    }
  }

  async page(fields: EventFields, range: PageRange): Promise<Page<EventRecord>> {
    return this.records.page((event) => hasFields(event, fields), range);
  }

  /** Returns the ids of the unprocessed events, oldest first. */
  listWaiting(): readonly string[] {
    return [...this.#unprocessed.keys()];
  }

  #nextWaiting(): string | undefined {
    let next = this.#waiting.pop();
    while (next !== undefined && this.#unprocessed.get(next.id) !== next.place) next = this.#waiting.pop();
    return next?.id;
  }
}
