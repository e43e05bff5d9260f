import TinyQueue from 'tinyqueue';
import type { Page, PageRange } from '../../model/page.js';
import type { EventRecord } from '../../model/records.js';
import type { Claim, ClaimedEvent, EventFields, EventStore } from '../store.js';
import { hasFields, type KeptOptions, RecordsOfContacts } from './kept-records.js';

/** An event that nobody processes yet. */
interface Waiting {
  readonly id: string;
  readonly number: number;
}

/** One workspace's tracked events in memory. */
export class MemoryEvents implements EventStore {
  readonly records: RecordsOfContacts<EventRecord>;
  /** The ids of the unprocessed events, oldest first. */
  readonly #unprocessed = new Set<string>();
  /** The unprocessed events without a claim, and some that were deleted. */
  readonly #waiting = new TinyQueue<Waiting>([], (one, other) => one.number - other.number);

  constructor(options: KeptOptions) {
    this.records = new RecordsOfContacts(
      options,
      ({ properties }) => JSON.stringify(properties).length,
      ({ id }) => !this.#unprocessed.has(id),
    );
  }

  /** Replaces all events. */
  load(events: readonly EventRecord[], waitingIds: readonly string[]): void {
    const waiting = new Set(waitingIds);
    this.#unprocessed.clear();
    for (const { id } of events) if (waiting.has(id)) this.#unprocessed.add(id);
    this.records.load(events);
    for (const id of this.#unprocessed) this.#enqueue(id);
  }

  /** Adds an unprocessed event. */
  add(event: EventRecord): void {
    this.#unprocessed.add(event.id);
    this.records.set(event);
    this.#enqueue(event.id);
  }

  #enqueue(id: string): void {
    this.#waiting.push({ id, number: this.records.numberOf(id) });
  }

  async claimNext(): Promise<ClaimedEvent | undefined> {
    const [event = this.#nextWaiting()] = this.records.expired();
    return event && { claim: this.records.claim(event.id), event };
  }

  async release(claim: Claim): Promise<void> {
    if (this.records.settle(claim) !== undefined) this.#enqueue(claim.id);
  }

  complete(claim: Claim): boolean {
    const event = this.records.settle(claim);
    if (event === undefined) return false;
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
    }
  }

  async page(fields: EventFields, range: PageRange): Promise<Page<EventRecord>> {
    return this.records.page((event) => hasFields(event, fields), range);
  }

  /** Returns the ids of the unprocessed events, oldest first. */
  listWaiting(): readonly string[] {
    return [...this.#unprocessed];
  }

  #nextWaiting(): EventRecord | undefined {
    let next = this.#waiting.pop();
    while (next !== undefined && this.records.numberOf(next.id) !== next.number) next = this.#waiting.pop();
    return this.records.get(next?.id ?? '');
  }
}
