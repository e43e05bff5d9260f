import { type Clock, systemClock } from '../../foundation/clock.js';
import { notify } from '../../foundation/notify.js';
import { createWarnings } from '../../foundation/warnings.js';
import type { DedupeStore } from './dedupe-store.js';

/**
 * What a full store in memory forgot before its time.
 */
export interface ForgottenDedupeKey {
  /** The key; holds nothing of the delivery in the clear. */
  readonly key: string;
  /** Whether it was remembered as done, or claimed by a handler at work. */
  readonly state: 'claimed' | 'done';
  /** For how many milliseconds more the store was to keep it. */
  readonly remaining: number;
}

/**
 * How much the store in memory keeps.
 */
export interface MemoryDedupeStoreOptions {
  /**
   * How many keys to remember as done, and how many claims to keep; beyond that the oldest are forgotten, and their
   * deliveries are handled again if they come again. A message takes two keys, another delivery one: set twice the
   * number of deliveries within `rememberFor`. Default: 20,000, enough for 10,000 messages, about three megabytes.
   */
  readonly maxEntries?: number | undefined;
  /**
   * Called for each key that the store forgets early because it is full. Default: the process warns, once for
   * each store.
   */
  readonly onForgotten?: ((forgotten: ForgottenDedupeKey) => unknown) | undefined;
  /** The source of the time. Default: the machine's clock. */
  readonly clock?: Pick<Clock, 'now'> | undefined;
}

/**
 * A dedupe store in the memory of this process, which is where a receiver keeps what it handled by default. Another
 * process knows nothing of it, and it is gone with the process. It is bounded: see `maxEntries`.
 *
 * @throws TypeError for a `maxEntries` that is no whole number above zero.
 *
 * @example
 * ```ts
 * import { createMemoryDedupeStore } from 'messaging-automation/webhooks';
 *
 * const store = createMemoryDedupeStore();
 * console.log(await store.claim('delivery:1', { holder: 'a', lease: 30_000 })); // claimed
 * console.log(await store.claim('delivery:1', { holder: 'b', lease: 30_000 })); // in_progress
 * await store.commit('delivery:1', { holder: 'a', ttl: 3_600_000 });
 * console.log(await store.claim('delivery:1', { holder: 'b', lease: 30_000 })); // done
 * ```
 */
export function createMemoryDedupeStore(options: MemoryDedupeStoreOptions = {}): DedupeStore {
  const { maxEntries = 20_000, clock = systemClock, onForgotten = warnOfForgetting(maxEntries) } = options;
  if (!Number.isInteger(maxEntries) || maxEntries < 1) {
    throw new TypeError('maxEntries must be a whole number above zero.');
  }
  const tell = (state: ForgottenDedupeKey['state']) => (key: string, remaining: number) =>
    notify(() => onForgotten({ key, state, remaining }));
  const claims = new Expiring<string>(maxEntries, clock, tell('claimed'));
  const done = new Expiring<true>(maxEntries, clock, tell('done'));
  return {
    async claim(key, { holder, lease }) {
      if (done.get(key)) return 'done';
      if (claims.get(key) !== undefined) return 'in_progress';
      claims.set(key, holder, lease);
      return 'claimed';
    },
    async renew(key, { holder, lease }) {
      if (claims.get(key) !== holder) return false;
      claims.set(key, holder, lease);
      return true;
    },
    async commit(key, { ttl }) {
      claims.delete(key);
      done.set(key, true, ttl);
    },
    async release(key, { holder }) {
      if (claims.get(key) === holder) claims.delete(key);
    },
  };
}

function warnOfForgetting(maxEntries: number): () => void {
  const warnOnce = createWarnings('MessagingAutomationDedupe');
  return () =>
    warnOnce(
      'full',
      `The dedupe store in memory is full: it forgets deliveries before their time, and handles them again if they come ` +
        `again. Raise maxEntries, which is ${maxEntries}, or pass onForgotten to createMemoryDedupeStore to handle this.`,
    );
}

interface Entry<Value> {
  readonly value: Value;
  readonly end: number;
}

/** A map that forgets what is over, and the oldest of what it cannot hold. */
class Expiring<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #limit: number;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #onForgotten: (key: string, remaining: number) => void;
  /** From the oldest on. Kept, because one that began anew each time would step over all that was deleted. */
  #ages = this.#entries.entries();
  #oldest: readonly [key: string, entry: Entry<Value>] | undefined;

  constructor(
    limit: number,
    clock: Pick<Clock, 'now'>,
    onForgotten: (key: string, remaining: number) => void,
  ) {
    this.#limit = limit;
    this.#clock = clock;
    this.#onForgotten = onForgotten;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.end > this.#clock.now() ? entry.value : undefined;
  }

  set(key: string, value: Value, lifetime: number): void {
    const now = this.#clock.now();
    // Set anew, an entry would keep its old place in the order of age.
    this.#entries.delete(key);
    this.#makeRoom(now);
    this.#entries.set(key, { value, end: now + lifetime });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  #makeRoom(now: number): void {
    while (this.#entries.size > 0) {
      this.#oldest ??= this.#nextOldest();
      const [key, entry] = this.#oldest;
      const isThere = this.#entries.get(key) === entry;
      const remaining = entry.end - now;
      if (isThere && remaining > 0 && this.#entries.size < this.#limit) return;
      this.#oldest = undefined;
      if (!isThere) continue;
      this.#entries.delete(key);
      if (remaining > 0) this.#onForgotten(key, remaining);
    }
  }

  #nextOldest(): readonly [string, Entry<Value>] {
    const { done, value } = this.#ages.next();
    if (!done) return value;
    // One that came to its end stays there, whatever is added.
    this.#ages = this.#entries.entries();
    return this.#nextOldest();
  }
}
