import { aString, checkArgument, checkOptions } from '../../foundation/options.js';
import { aKeyValueService, type KeyValueService } from '../../key-value/key-value-service.js';

/**
 * The result of a claim.
 *
 * - `claimed`: the caller holds the delivery until the lease ends.
 * - `in_progress`: another holder has it now.
 * - `done`: it has been handled.
 */
export type DedupeClaim = 'claimed' | 'in_progress' | 'done';

/**
 * What has become of a claim.
 *
 * - `held`: this holder has it now.
 * - `done`: its delivery has been handled, by any holder.
 * - `ended`: it was released or has expired, or another holder has it.
 */
export type ClaimState = 'held' | 'done' | 'ended';

/**
 * The part of a {@link DedupeStore} that lets the deliveries of a contact run one after the other: a record per contact, which is text
 * that a receiver changes by compare-and-set. Each operation may return its result at once, or a promise of it.
 */
export interface TurnStore {
  /** Returns the text of a record, or `undefined` if it is absent. Must read the latest text, not an older copy. */
  read(name: string): string | undefined | Promise<string | undefined>;
  /**
   * Sets a record to `text` for `ttl` milliseconds if it is `expected`, or if it is absent and `expected` is `undefined`. Atomic. Returns
   * whether it did.
   */
  replace(name: string, expected: string | undefined, text: string, ttl: number): boolean | Promise<boolean>;
  /** Returns what has become of the claim of `holder` on the key of a delivery. */
  stateOf(key: string, holder: string): ClaimState | Promise<ClaimState>;
}

/**
 * Records which deliveries have been handled and which are being handled, so that a receiver handles each delivery once, although the
 * service may send it several times. `createMemoryDedupeStore` is the store for a single process.
 *
 * Keys are ASCII, have at most 80 characters, and are hashes. If several applications share a store, give each its own prefix.
 */
export interface DedupeStore {
  /**
   * Claims a key atomically: of any number of concurrent claims, one gets `claimed`. The holder of a claim that claims again gets
   * `claimed`, because a client that lost its connection may send a command twice. A claim ends after `lease` milliseconds, so that
   * the claim of a dead process does not block the service's retries.
   */
  claim(key: string, options: { readonly holder: string; readonly lease: number }): Promise<DedupeClaim>;
  /**
   * Renews the lease of a claim, and returns whether it did. It does nothing if the lease is over, another holder has the key, or the
   * key is done. A receiver renews its claims while handlers run, so a lease detects a dead holder, not a slow one.
   */
  renew(key: string, options: { readonly holder: string; readonly lease: number }): Promise<boolean>;
  /** Marks a key as done for `ttl` milliseconds, even if another holder has it. */
  commit(key: string, options: { readonly holder: string; readonly ttl: number }): Promise<void>;
  /** Releases the claim of this holder, if it still has it. Never undoes a commit. */
  release(key: string, options: { readonly holder: string }): Promise<void>;
  /** What `inOrder` of a receiver needs. A store without it cannot keep an order. */
  readonly turns?: TurnStore | undefined;
}

/**
 * Options of `createDedupeStore`.
 */
export interface DedupeStoreOptions {
  /**
   * The prefix of every key. Receivers of different subscriptions need different ones, because both get the same bytes and each must
   * handle them. Default: `dedupe:`.
   */
  readonly prefix?: string | undefined;
}

/**
 * Creates a dedupe store, for receivers that run in several processes: in Redis by `createRedisKeyValueStore`, in PostgreSQL by
 * `createPostgresKeyValueStore`, or in any other key-value service with compare-and-set, such as Upstash, DynamoDB or Durable Objects. An
 * eventually consistent service, such as Workers KV, is not suitable, because two receivers could claim the same key.
 *
 * @throws ConfigurationError if the service lacks an operation. Each promise rejects with the error of the service, or with a TypeError if an
 * operation returns an invalid value.
 *
 * @example
 * ```ts
 * import { createDedupeStore, createWebhookReceiver, type KeyValueService } from 'messaging-automation/webhooks';
 *
 * function createReceiver(service: KeyValueService) {
 *   const dedupe = createDedupeStore(service, { prefix: 'orders:webhook:' });
 *   return createWebhookReceiver({ secret: 'whsec_example', dedupe });
 * }
 * ```
 */
export function createDedupeStore(service: KeyValueService, options: DedupeStoreOptions = {}): DedupeStore {
  checkArgument('createDedupeStore', 'service', service, aKeyValueService);
  checkOptions('createDedupeStore', options, { prefix: aString });
  const { prefix = 'dedupe:' } = options;
  return {
    async claim(key, { holder, lease }) {
      const name = prefix + key;
      const isMine = await service.setIfAbsent(name, heldBy(holder), wholeMilliseconds(lease));
      if (reported(isMine, 'setIfAbsent')) return 'claimed';
      // The key was released or expired just now. Return `in_progress`, so that the service sends the delivery again.
      const value = readText(await service.get(name));
      // A client that lost its connection may have sent the command twice, and the first one claimed the key.
      if (value === heldBy(holder)) return 'claimed';
      return value === doneValue ? 'done' : 'in_progress';
    },
    async renew(key, { holder, lease }) {
      const mine = heldBy(holder);
      const isMine = await service.replaceIfEqual(prefix + key, mine, mine, wholeMilliseconds(lease));
      return reported(isMine, 'replaceIfEqual');
    },
    async commit(key, { ttl }) {
      await service.set(prefix + key, doneValue, wholeMilliseconds(ttl));
    },
    async release(key, { holder }) {
      reported(await service.deleteIfEqual(prefix + key, heldBy(holder)), 'deleteIfEqual');
    },
    turns: createTurnStore(service, prefix),
  };
}

function createTurnStore(service: KeyValueService, prefix: string): TurnStore {
  const textAt = async (name: string) => readText(await service.get(prefix + name));
  return {
    // An empty text is no record, and some services return it for an absent key.
    read: async (name) => (await textAt(name)) || undefined,
    async replace(name, expected, text, ttl) {
      const words = [text, wholeMilliseconds(ttl)] as const;
      const replaceText = async (found: string) =>
        reported(await service.replaceIfEqual(prefix + name, found, ...words), 'replaceIfEqual');
      if (expected !== undefined) return replaceText(expected);
      return reported(await service.setIfAbsent(prefix + name, ...words), 'setIfAbsent') || replaceText('');
    },
    async stateOf(key, holder) {
      const value = await textAt(key);
      if (value === doneValue) return 'done';
      return value === heldBy(holder) ? 'held' : 'ended';
    },
  };
}

const doneValue = 'done';

/** Adds a prefix, so that a holder's name can be any text, including "done". */
function heldBy(holder: string): string {
  return `held by ${holder}`;
}

/** The text that the operation `get` returned, empty for an absent key. Rejects any other value. */
function readText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  throw misreported('get', 'a string, null or undefined');
}

function wholeMilliseconds(time: number): number {
  return Math.max(1, Math.ceil(time));
}

/** Returns the boolean that an operation returned. Rejects any other value, such as "OK", which must not count as true. */
function reported(report: unknown, operation: string): boolean {
  if (typeof report === 'boolean') return report;
  throw misreported(operation, 'true or false');
}

function misreported(operation: string, expected: string): TypeError {
  return new TypeError(
    `The operation ${operation} of the dedupe store's key-value service must return ${expected}.`,
  );
}
