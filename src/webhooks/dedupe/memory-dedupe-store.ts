import { KnownPromise } from '../../foundation/at-once.js';
import { type Clock, systemClock } from '../../foundation/clock.js';
import { notify } from '../../foundation/listeners.js';
import { aFunction, aWholeNumber, checkOptions, hasMethods } from '../../foundation/options.js';
import { createWarnings } from '../../foundation/runtime.js';
import type { DedupeClaim, DedupeStore } from './dedupe-store.js';

/**
 * A key that a full store in memory removed before its time.
 */
export interface ForgottenDedupeKey {
  /** The key. It contains no readable part of the delivery. */
  readonly key: string;
  /** Whether the delivery was done, or claimed by a running handler. */
  readonly state: 'claimed' | 'done';
  /** How much longer the store should have kept it, in milliseconds. */
  readonly remaining: number;
}

/**
 * Options of `createMemoryDedupeStore`.
 */
export interface MemoryDedupeStoreOptions {
  /**
   * The largest number of keys of done deliveries, and also of claims. Beyond that, the store removes the oldest, and the receiver
   * handles their deliveries again if they arrive again. Each delivery has one key: set the number of deliveries within
   * `rememberFor`. Default: 20,000, about three megabytes.
   */
  readonly maxEntries?: number | undefined;
  /**
   * Called for each key that the store removes early because it is full. Default: the process warns, once for each store.
   */
  readonly onForgotten?: ((forgotten: ForgottenDedupeKey) => unknown) | undefined;
  /** The source of the time. Default: the machine's clock. */
  readonly clock?: Pick<Clock, 'now'> | undefined;
}

/**
 * Creates a dedupe store in the memory of this process. It is the default of a receiver. Other processes do not share it, and its
 * content is lost when the process ends. `maxEntries` limits its size.
 *
 * @throws ConfigurationError if an option is invalid.
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
  checkOptions('createMemoryDedupeStore', options, {
    maxEntries: aWholeNumber(1),
    onForgotten: aFunction,
    clock: [hasMethods('now'), 'an object with the method now'],
  });
  const { maxEntries = 20_000, clock = systemClock, onForgotten = warnOfForgetting(maxEntries) } = options;
  const tell = (state: ForgottenDedupeKey['state']) => (key: string, remaining: number) =>
    notify(() => onForgotten({ key, state, remaining }));
  const claims = createExpiring<string>(maxEntries, clock, tell('claimed'));
  const done = createExpiring<true>(maxEntries, clock, tell('done'));
  // Not told: a contact has a record because one of its deliveries has a key, so the keys are full first.
  const turns = createExpiring<string>(maxEntries, clock, () => {});
  return {
    claim(key, { holder, lease }) {
      if (done.get(key)) return isDone;
      const claimant = claims.get(key);
      if (claimant !== undefined) return claimant === holder ? isClaimed : isInProgress;
      claims.set(key, holder, lease);
      return isClaimed;
    },
    renew(key, { holder, lease }) {
      if (claims.get(key) !== holder) return isLost;
      claims.set(key, holder, lease);
      return isRenewed;
    },
    commit(key, { ttl }) {
      claims.delete(key);
      done.set(key, true, ttl);
      return isSettled;
    },
    release(key, { holder }) {
      if (claims.get(key) === holder) claims.delete(key);
      return isSettled;
    },
    turns: {
      read: (name) => turns.get(name),
      replace(name, expected, text, ttl) {
        if (turns.get(name) !== expected) return false;
        turns.set(name, text, ttl);
        return true;
      },
      stateOf(key, holder) {
        if (done.get(key)) return 'done';
        return claims.get(key) === holder ? 'held' : 'ended';
      },
    },
  };
}

/** What the store returns. It knows everything at once, and creates no promise for a delivery. */
const isClaimed = new KnownPromise<DedupeClaim>('claimed');
const isInProgress = new KnownPromise<DedupeClaim>('in_progress');
const isDone = new KnownPromise<DedupeClaim>('done');
const isRenewed = new KnownPromise(true);
const isLost = new KnownPromise(false);
const isSettled = new KnownPromise<void>(undefined);

function warnOfForgetting(maxEntries: number): () => void {
  const warnOnce = createWarnings('MessagingAutomationDedupe');
  return () =>
    warnOnce(
      'full',
      `The dedupe store in memory is full: it forgets deliveries before their time, and handles them again if they arrive ` +
        `again. Raise maxEntries, which is ${maxEntries}, or pass onForgotten to createMemoryDedupeStore to handle this.`,
    );
}

/** Creates a map that removes expired entries, and the oldest entries when it is full. */
function createExpiring<Value>(
  limit: number,
  clock: Pick<Clock, 'now'>,
  tell: (key: string, remaining: number) => void,
) {
  const entries = new Map<string, { readonly value: Value; readonly end: number }>();
  /** Kept between calls, because a new iterator would skip all deleted entries again. */
  const ages = endlessly(entries);
  let oldest: readonly [string, { readonly end: number }] | undefined;

  function makeRoom(now: number): void {
    while (entries.size > 0) {
      oldest ??= ages.next().value;
      const [key, entry] = oldest;
      const isThere = entries.get(key) === entry;
      const remaining = entry.end - now;
      if (isThere && remaining > 0 && entries.size < limit) return;
      oldest = undefined;
      if (!isThere) continue;
      entries.delete(key);
      if (remaining > 0) tell(key, remaining);
    }
  }

  return {
    get(key: string): Value | undefined {
      const entry = entries.get(key);
      return entry !== undefined && entry.end > clock.now() ? entry.value : undefined;
    },
    set(key: string, value: Value, lifetime: number): void {
      const now = clock.now();
      // Delete first, because `set` alone keeps the entry's old position in the order of age.
      entries.delete(key);
      makeRoom(now);
      entries.set(key, { value, end: now + lifetime });
    },
    delete: (key: string) => entries.delete(key),
  };
}

/** Iterates over entries from the oldest one, again and again, because an iterator that is done returns no entries that are added later. */
function* endlessly<Entry>(entries: Iterable<Entry>): Generator<Entry, never> {
  for (;;) yield* entries;
}
