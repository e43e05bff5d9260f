import { aString, checkOptions, type OptionChecks, required } from '../../foundation/options.js';
import { aKeyValueService, type KeyValueService } from '../../key-value/key-value-service.js';
import type { DedupeStore } from './dedupe-store.js';

/**
 * Options of `createKeyValueDedupeStore`.
 */
export interface KeyValueDedupeStoreOptions {
  /** The prefix of every key. Default: `messaging-automation:dedupe:`. */
  readonly prefix?: string | undefined;
}

/**
 * Creates a dedupe store in any key-value service with compare-and-set: Upstash, DynamoDB, Durable Objects, etcd and others. An
 * eventually consistent service, such as Workers KV, is not suitable, because two receivers could claim the same key.
 *
 * Test your store with `dedupeStoreChecks` of `messaging-automation/conformance`.
 *
 * @throws ConfigurationError if the service lacks an operation. Each promise rejects with the error of the service, or with a TypeError if an
 * operation returns an invalid value.
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
  checkOptions('createKeyValueDedupeStore', { service, ...options }, checks);
  const { prefix = 'messaging-automation:dedupe:' } = options;
  return {
    async claim(key, { holder, lease }) {
      const name = prefix + key;
      const isMine = await service.setIfAbsent(name, heldBy(holder), wholeMilliseconds(lease));
      if (reported(isMine, 'setIfAbsent')) return 'claimed';
      // The key was released or expired just now. Return `in_progress`, so that the service sends the delivery again.
      const value = (await service.get(name)) ?? '';
      if (typeof value !== 'string') throw misreported('get', 'a string, null or undefined');
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
  };
}

const checks: OptionChecks = { service: required(aKeyValueService), prefix: aString };

const doneValue = 'done';

/** Adds a prefix, so that a holder's name can be any text, including "done". */
function heldBy(holder: string): string {
  return `held by ${holder}`;
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
