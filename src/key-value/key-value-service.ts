import { hasMethods, type OptionCheck } from '../foundation/options.js';

/**
 * The operations of a key-value service that a store needs: of webhook deliveries, or of sends. Each works on one key and is atomic. A key whose time to live is
 * over is absent, even if the service has not deleted it yet. Each operation returns what it did, and rejects if it does not know.
 *
 * Keys and values are text. Times to live are whole milliseconds, at least one. Round them up for a service that counts seconds.
 *
 * `list` is optional. Without it, the store cannot list unsettled keys.
 */
export interface KeyValueService {
  /** Returns the value of a key, or null or undefined if it is absent. Must read the latest value, not an older copy. */
  get(key: string): Promise<string | null | undefined>;
  /** Sets a key for `ttl` milliseconds, and replaces any value. */
  set(key: string, value: string, ttl: number): Promise<unknown>;
  /** Sets a key for `ttl` milliseconds if it is absent, and reports whether it did. */
  setIfAbsent(key: string, value: string, ttl: number): Promise<boolean>;
  /** Sets a key to `value` for `ttl` milliseconds if its value is `expected`, and reports whether it did. */
  replaceIfEqual(key: string, expected: string, value: string, ttl: number): Promise<boolean>;
  /** Deletes a key if its value is `expected`, and reports whether it did. */
  deleteIfEqual(key: string, expected: string): Promise<boolean>;
  /**
   * Lists the entries whose key begins with `keyPrefix` and whose value begins with `valuePrefix`, in any order, each at least once. Leaves
   * out what has expired. An entry that changes meanwhile may be listed or not. Compares every character as it is, also a wildcard of the
   * service's own patterns. Reads page by page, so that many entries neither fill the memory nor stop the service.
   *
   * It finds the sends and events whose outcome is unknown. A service that cannot do this leaves it out: each key that is known can
   * still be settled.
   */
  list?(keyPrefix: string, valuePrefix: string): AsyncIterable<KeyValueEntry>;
}

/**
 * An entry that `list` of a {@link KeyValueService} finds.
 */
export interface KeyValueEntry {
  /** The key, as the other operations take it. */
  readonly key: string;
  /** The value. */
  readonly value: string;
}

const operations = ['get', 'set', 'setIfAbsent', 'replaceIfEqual', 'deleteIfEqual'];

/** What an option must be that takes a {@link KeyValueService}. */
export const aKeyValueService: OptionCheck = [
  hasMethods(...operations),
  `an object with the methods ${operations.join(', ')}`,
];
