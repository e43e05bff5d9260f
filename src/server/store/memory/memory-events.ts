import type { EventRecord } from '../../model/records.js';
import type { Claim } from '../claim.js';
import type { ClaimedEvent, EventStore } from '../event-store.js';
import type { Claims } from './claims.js';

/** A contact's events, and the times of acceptance of the processed ones by name, oldest first. */
interface EventsOfContact {
  readonly ids: string[];
  readonly processed: Map<string, number[]>;
}

/** One workspace's tracked events in memory. */
export class MemoryEvents implements EventStore {
  readonly #byId = new Map<string, EventRecord>();
  readonly #ofContacts = new Map<string, EventsOfContact>();
  readonly #waiting = new Set<string>();
  /** One iterator for all claims, because a new one would skip all claimed events that the set has not compacted yet. */
  readonly #oldestWaiting = this.#waiting.values();
  readonly #claims: Claims;
  readonly #changed: () => void;

  constructor(
    events: readonly EventRecord[],
    waitingIds: readonly string[],
    claims: Claims,
    changed: () => void,
  ) {
    this.#claims = claims;
    this.#changed = changed;
    const waiting = new Set(waitingIds);
    for (const event of events) {
      this.add(event);
      if (waiting.has(event.id)) continue;
      this.#waiting.delete(event.id);
      this.#count(event);
    }
  }

  add(event: EventRecord): void {
    this.#byId.set(event.id, event);
    this.#of(event.contactId).ids.push(event.id);
    this.#waiting.add(event.id);
    this.#changed();
  }

  async claimNext(): Promise<ClaimedEvent | undefined> {
    const [expired] = this.#claims.expired(this.#byId.keys());
    const event = this.#byId.get(expired ?? this.#nextWaiting() ?? '');
    if (event === undefined) return undefined;
    this.#waiting.delete(event.id);
    return { claim: this.#claims.claim(event.id), event };
  }

  async release(claim: Claim): Promise<void> {
    // A released event goes to the end, because the set keeps only unclaimed events.
    if (this.#byId.has(claim.id) && this.#claims.settle(claim)) this.#waiting.add(claim.id);
  }

  complete(claim: Claim): boolean {
    const event = this.#byId.get(claim.id);
    if (event === undefined || !this.#claims.settle(claim)) return false;
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
      this.#waiting.delete(id);
      this.#claims.drop(id);
    }
    this.#ofContacts.delete(contactId);
    this.#changed();
  }

  async list(): Promise<readonly EventRecord[]> {
    return this.all();
  }

  all(): readonly EventRecord[] {
    return [...this.#byId.values()];
  }

  /** Returns the ids of the unprocessed events, oldest first. */
  listWaiting(): readonly string[] {
    return [...this.#byId.keys()].filter((id) => this.#waiting.has(id) || this.#claims.has(id));
  }

  #nextWaiting(): string | undefined {
    // An iterator that has ended does not see later events.
    return this.#waiting.size === 0 ? undefined : this.#oldestWaiting.next().value;
  }

  #of(contactId: string): EventsOfContact {
    const known = this.#ofContacts.get(contactId);
    if (known !== undefined) return known;
    const created: EventsOfContact = { ids: [], processed: new Map() };
    this.#ofContacts.set(contactId, created);
    return created;
  }

  /** Inserts the time in ascending order, because events can be processed in another order than they were accepted. */
  #count({ contactId, event, acceptedAt }: EventRecord): void {
    const { processed } = this.#of(contactId);
    const times = processed.get(event);
    if (times === undefined) {
      processed.set(event, [acceptedAt]);
      return;
    }
    times.splice(indexAfter(times, acceptedAt), 0, acceptedAt);
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
