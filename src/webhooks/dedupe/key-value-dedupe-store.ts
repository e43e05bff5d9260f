import type { DedupeStore } from './dedupe-store.js';

/**
 * What a dedupe store asks of a key-value service: five operations on one key, each atomic. A key whose time to live is
 * over is absent, also where the service has not deleted it yet. Each operation reports what it did and rejects where
 * it does not know.
 *
 * Keys and values are text. Times to live are whole milliseconds, at least one; round them up for a service that counts
 * seconds.
 */
export interface KeyValueService {
  /** The value of a key, or null or undefined where it is absent. Reads what was written last, not an older copy. */
  get(key: string): Promise<string | null | undefined>;
  /** Sets a key, whatever its value, for `ttl` milliseconds. */
  set(key: string, value: string, ttl: number): Promise<unknown>;
  /** Sets a key for `ttl` milliseconds if it is absent, and reports whether it did. */
  setIfAbsent(key: string, value: string, ttl: number): Promise<boolean>;
  /** Sets a key to `value` for `ttl` milliseconds if its value is `expected`, and reports whether it did. */
  replaceIfEqual(key: string, expected: string, value: string, ttl: number): Promise<boolean>;
  /** Deletes a key if its value is `expected`, and reports whether it did. */
  deleteIfEqual(key: string, expected: string): Promise<boolean>;
}

/**
 * Where a store keeps its keys in a key-value service.
 */
export interface KeyValueDedupeStoreOptions {
  /** What every key begins with. Default: `messaging-automation:dedupe:`. */
  readonly prefix?: string | undefined;
}

/**
 * A dedupe store in any key-value service with compare-and-set: Upstash, DynamoDB, Durable Objects, etcd and others.
 * A service that is eventually consistent, such as Workers KV, cannot do it: it gives one key to two receivers.
 *
 * Run `dedupeStoreChecks` of `messaging-automation/conformance` over your store.
 *
 * @throws TypeError for a service that lacks an operation. Each promise rejects with what the service rejects with, and
 * with a TypeError where an operation gives something other than it must.
 *
 * @example
 * ```ts
 * import { createKeyValueDedupeStore, createWebhookReceiver, type KeyValueService } from 'messaging-automation/webhooks';
 *
 * function createReceiver(service: KeyValueService) {
 *   const dedupe = createKeyValueDedupeStore(service, { prefix: 'orders:webhook:' });
 *   return createWebhookReceiver({ secret: 'whsec_example', dedupe });
 * }
 * ```
 */
export function createKeyValueDedupeStore(
  service: KeyValueService,
  options: KeyValueDedupeStoreOptions = {},
): DedupeStore {
  const { prefix = 'messaging-automation:dedupe:' } = options;
  for (const operation of operations) {
    if (typeof service[operation] === 'function') continue;
    throw new TypeError(`The key-value service of a dedupe store needs the operation ${operation}.`);
  }
  return {
    async claim(key, { holder, lease }) {
      const name = prefix + key;
      const isMine = await service.setIfAbsent(name, heldBy(holder), wholeMilliseconds(lease));
      if (reported(isMine, 'setIfAbsent')) return 'claimed';
      // Absent by now is in progress too: the service sends the delivery again, and that one claims it.
      const value = (await service.get(name)) ?? '';
      if (typeof value !== 'string') throw misreported('get', 'a string, null or undefined');
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
  };
}

const operations = ['get', 'set', 'setIfAbsent', 'replaceIfEqual', 'deleteIfEqual'] as const;

const doneValue = 'done';

/** A holder's name can then be any text, "done" included. */
function heldBy(holder: string): string {
  return `held by ${holder}`;
}

function wholeMilliseconds(time: number): number {
  return Math.max(1, Math.ceil(time));
}

/** What an operation reports. Anything but a boolean, such as "OK", is no report: it must not pass for a yes. */
function reported(report: unknown, operation: string): boolean {
  if (typeof report === 'boolean') return report;
  throw misreported(operation, 'true or false');
}

function misreported(operation: string, expected: string): TypeError {
  return new TypeError(`The dedupe store's key-value service must give ${expected} for ${operation}.`);
}
