import TinyQueue from 'tinyqueue';
import type { Page, PageRange } from '../../model/page.js';
import type { EventRecord } from '../../model/records.js';
import type { Claim, ClaimedEvent, EventFields, EventStore } from '../store.js';
import { Claims, hasFields, type KeptOptions, RecordsOfContacts, Retention } from './kept-records.js';

/** An event that nobody processes yet. */
interface Waiting {
  readonly id: string;
  /** Its order of arrival, which it keeps when it is released. */
  readonly place: number;
}

/** One workspace's tracked events in memory. */
export class MemoryEvents implements EventStore {
  readonly #events: RecordsOfContacts<EventRecord>;
  /** The places of the unprocessed events, oldest first. */
  readonly #unprocessed = new Map<string, number>();
  /** The unprocessed events without a claim, and some that were deleted. */
  readonly #waiting = new TinyQueue<Waiting>([], (one, other) => one.place - other.place);
  readonly #claims: Claims;
  readonly #processed = new Retention();
  readonly #changed: () => void;
  #added = 0;

  constructor(options: KeptOptions) {
    this.#events = new RecordsOfContacts(options, ({ properties }) => JSON.stringify(properties).length);
    this.#claims = new Claims(options);
    this.#changed = options.changed;
  }

  /** Replaces all events. */
  load(events: readonly EventRecord[], waitingIds: readonly string[]): void {
    for (const kept of [this.#events, this.#unprocessed, this.#claims, this.#processed]) kept.clear();
    const waiting = new Set(waitingIds);
    for (const event of events) {
      this.#events.set(event);
      if (waiting.has(event.id)) this.#wait(event.id);
      else this.#forgetOldest(event.id);
    }
  }

  get forgotten(): number {
    return this.#processed.forgotten;
  }

  add(event: EventRecord): void {
    this.#events.set(event);
    this.#wait(event.id);
  }

  async claimNext(): Promise<ClaimedEvent | undefined> {
    const [expired] = this.#claims.expired(this.#unprocessed.keys());
    const event = this.#events.get(expired ?? this.#nextWaiting() ?? '');
    return event && { claim: this.#claims.claim(event.id), event };
  }

  async release(claim: Claim): Promise<void> {
    const place = this.#unprocessed.get(claim.id);
    if (place !== undefined && this.#claims.settle(claim)) this.#waiting.push({ id: claim.id, place });
  }

  complete(claim: Claim): boolean {
    if (!this.#claims.settle(claim)) return false;
    this.#unprocessed.delete(claim.id);
    this.#forgetOldest(claim.id);
    this.#changed();
    return true;
  }

  async count(contactId: string, name: string, since: number): Promise<number> {
    return this.#events.of(contactId).filter(({ id, event, acceptedAt }) => {
      return event === name && acceptedAt > since && !this.#unprocessed.has(id);
    }).length;
  }

  deleteOf(contactId: string): void {
    for (const { id } of this.#events.of(contactId)) {
      this.#events.drop(id);
      this.#unprocessed.delete(id);
      this.#processed.delete(id);
      this.#claims.drop(id);
    }
  }

  async page(fields: EventFields, range: PageRange): Promise<Page<EventRecord>> {
    return this.#events.page((event) => hasFields(event, fields), range);
  }

  all(): readonly EventRecord[] {
    return this.#events.all();
  }

  /** Returns the ids of the unprocessed events, oldest first. */
  listWaiting(): readonly string[] {
    return [...this.#unprocessed.keys()];
  }

  #wait(id: string): void {
    const place = this.#added;
    this.#added += 1;
    this.#unprocessed.set(id, place);
    this.#waiting.push({ id, place });
  }

  #nextWaiting(): string | undefined {
    let next = this.#waiting.pop();
    while (next !== undefined && this.#unprocessed.get(next.id) !== next.place) next = this.#waiting.pop();
    return next?.id;
  }

  /** Keeps a processed event, and forgets the oldest one for it. */
  #forgetOldest(processed: string): void {
    const forgotten = this.#processed.add(processed);
    if (forgotten !== undefined) this.#events.drop(forgotten);
  }
}
