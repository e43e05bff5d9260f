import { type Clock, systemClock } from '../foundation/clock.js';
import { aWholeNumber, checkOptions, hasMethods } from '../foundation/options.js';
import type { KeyValueService } from './key-value-service.js';
import { timeToLive } from './records.js';

/**
 * Options of `createMemoryKeyValueStore`.
 */
export type MemoryKeyValueStoreOptions = {
  /**
   * The most keys that the store holds. It forgets none before its time: when it is full, sends with a new key fail, and nothing is sent.
   * A key takes about 500 bytes. Default: 100,000.
   */
  readonly maxEntries?: number | undefined;
  /** The source of time, for tests. Default: the machine's clock. */
  readonly clock?: Pick<Clock, 'now'> | undefined;
};

/**
 * Creates a store in the memory of this process, for the client's option `idempotencyStore` and for `createOptOutList`. It forgets
 * everything when the process ends: use it in tests, and where one process never sends a message twice by itself.
 *
 * @throws ConfigurationError if an option is invalid.
 *
 * @example
 * ```ts
 * import { createMemoryKeyValueStore, MessagingAutomation } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation({ idempotencyStore: createMemoryKeyValueStore() });
 * await messaging.contacts.upsert({ phone: '+15551234567' });
 * const message = { phone: '+15551234567', templateId: 'order_update', variables: { '1': 'Ada', '2': 'A-1001' } };
 * await messaging.transactional.send(message, { idempotencyKey: 'order-1001-shipped' });
 * const { replayed } = await messaging.transactional.send(message, { idempotencyKey: 'order-1001-shipped' });
 * console.log(replayed); // true: the second call sent nothing
 * ```
 */
export function createMemoryKeyValueStore(options: MemoryKeyValueStoreOptions = {}): KeyValueService {
  checkOptions('createMemoryKeyValueStore', options, {
    maxEntries: aWholeNumber(1),
    clock: [hasMethods('now'), 'an object with the method now'],
  });
  const { maxEntries = 100_000, clock = systemClock } = options;
  const entries = new Map<string, { readonly value: string; readonly end: number }>();

  function valueAt(key: string): string | undefined {
    const entry = entries.get(key);
    return entry !== undefined && entry.end > clock.now() ? entry.value : undefined;
  }

  function put(key: string, value: string, ttl: number): void {
    const now = clock.now();
    const end = now + timeToLive(ttl);
    if (!entries.has(key) && entries.size >= maxEntries) {
      for (const [name, entry] of entries) if (entry.end <= now) entries.delete(name);
      if (entries.size >= maxEntries)
        throw new Error(`The store in memory is full. Raise its maxEntries, which is ${maxEntries}.`);
    }
    entries.set(key, { value, end });
  }

  return {
    get: async (key) => valueAt(key),
    set: async (key, value, ttl) => put(key, value, ttl),
    async setIfAbsent(key, value, ttl) {
      if (valueAt(key) !== undefined) return false;
      put(key, value, ttl);
      return true;
    },
    async replaceIfEqual(key, expected, value, ttl) {
      if (valueAt(key) !== expected) return false;
      put(key, value, ttl);
      return true;
    },
    async deleteIfEqual(key, expected) {
      return valueAt(key) === expected && entries.delete(key);
    },
    async *list(keyPrefix, valuePrefix) {
      // Of a copy, because whoever lists the entries may add others meanwhile.
      for (const key of [...entries.keys()].filter((name) => name.startsWith(keyPrefix))) {
        const value = valueAt(key);
        if (value?.startsWith(valuePrefix)) yield { key, value };
      }
    },
  };
}
