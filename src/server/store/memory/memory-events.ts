import TinyQueue from 'tinyqueue';
import type { Page, PageRange } from '../../model/page.js';
import type { EventRecord } from '../../model/records.js';
import type { Claim, ClaimedEvent, EventFields, EventStore } from '../store.js';
import { Claims, hasFields, type KeptOptions, NumberedRecords, Retention } from './kept-records.js';

/** A contact's events, and the times of acceptance of the processed ones by name, oldest first. */
interface EventsOfContact {
  readonly ids: Set<string>;
  readonly processed: Map<string, number[]>;
}

/** An event that nobody processes yet. */
interface Waiting {
  readonly id: string;
  /** Its order of arrival, which it keeps when it is released. */
  readonly place: number;
}

/** One workspace's tracked events in memory. */
export class MemoryEvents implements EventStore {
  readonly #byId: NumberedRecords<EventRecord>;
  readonly #ofContacts = new Map<string, EventsOfContact>();
  /** The places of the unprocessed events, oldest first. */
  readonly #unprocessed = new Map<string, number>();
  /** The unprocessed events without a claim, and some that were deleted. */
  readonly #waiting = new TinyQueue<Waiting>([], (one, other) => one.place - other.place);
  readonly #claims: Claims;
  readonly #processed = new Retention();
  readonly #changed: () => void;
  #added = 0;

  constructor(options: KeptOptions) {
    this.#byId = new NumberedRecords(options, ({ properties }) => JSON.stringify(properties).length);
    this.#claims = new Claims(options);
    this.#changed = options.changed;
  }

  /** Replaces all events. */
  load(events: readonly EventRecord[], waitingIds: readonly string[]): void {
    for (const kept of [this.#byId, this.#ofContacts, this.#unprocessed, this.#claims, this.#processed]) {
      kept.clear();
    }
    const waiting = new Set(waitingIds);
    for (const event of events) {
      this.#keep(event);
      if (waiting.has(event.id)) this.#wait(event.id);
      else this.#count(event);
    }
  }

  get forgotten(): number {
    return this.#processed.forgotten;
  }

  add(event: EventRecord): void {
    this.#keep(event);
    this.#wait(event.id);
  }

  async claimNext(): Promise<ClaimedEvent | undefined> {
    const [expired] = this.#claims.expired(this.#unprocessed.keys());
    const event = this.#byId.get(expired ?? this.#nextWaiting() ?? '');
    return event && { claim: this.#claims.claim(event.id), event };
  }

  async release(claim: Claim): Promise<void> {
    const place = this.#unprocessed.get(claim.id);
    if (place !== undefined && this.#claims.settle(claim)) this.#waiting.push({ id: claim.id, place });
  }

  complete(claim: Claim): boolean {
    const event = this.#byId.get(claim.id);
    if (event === undefined || !this.#claims.settle(claim)) return false;
    this.#unprocessed.delete(event.id);
    this.#count(event);
    this.#changed();
    return true;
  }

  async count(contactId: string, event: string, since: number): Promise<number> {
    const times = this.#ofContacts.get(contactId)?.processed.get(event) ?? [];
    return times.length - indexAfter(times, since);
  }

  deleteOf(contactId: string): void {
    for (const id of this.#ofContacts.get(contactId)?.ids ?? []) {
      this.#byId.delete(id);
      this.#unprocessed.delete(id);
      this.#processed.delete(id);
      this.#claims.drop(id);
    }
    this.#ofContacts.delete(contactId);
  }

  async page(fields: EventFields, range: PageRange): Promise<Page<EventRecord>> {
    return this.#byId.page((event) => hasFields(event, fields), range);
  }

  all(): readonly EventRecord[] {
    return this.#byId.all();
  }

  /** Returns the ids of the unprocessed events, oldest first. */
  listWaiting(): readonly string[] {
    return [...this.#unprocessed.keys()];
  }

  #keep(event: EventRecord): void {
    this.#byId.set(event);
    this.#of(event.contactId).ids.add(event.id);
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

  #of(contactId: string): EventsOfContact {
    const known = this.#ofContacts.get(contactId);
    if (known !== undefined) return known;
    const created: EventsOfContact = { ids: new Set(), processed: new Map() };
    this.#ofContacts.set(contactId, created);
    return created;
  }

  /** Inserts the time in ascending order, because events can be processed in another order than they were accepted. */
  #count({ id, contactId, event, acceptedAt }: EventRecord): void {
    const { processed } = this.#of(contactId);
    const times = processed.get(event) ?? [];
    processed.set(event, times);
    times.splice(indexAfter(times, acceptedAt), 0, acceptedAt);
    const forgotten = this.#byId.get(this.#processed.add(id) ?? '');
    if (forgotten !== undefined) this.#forget(forgotten);
  }

  #forget({ id, contactId, event, acceptedAt }: EventRecord): void {
    this.#byId.delete(id);
    const { ids, processed } = this.#of(contactId);
    ids.delete(id);
    const times = processed.get(event) ?? [];
    times.splice(indexAfter(times, acceptedAt) - 1, 1);
    if (times.length === 0) processed.delete(event);
    if (ids.size === 0) this.#ofContacts.delete(contactId);
  }
}

/** The index of the first of the ascending times that is after `time`. */
function indexAfter(times: readonly number[], time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? time) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
