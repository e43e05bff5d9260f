import { operations } from '../../contract/operations.js';
import type { SendInput, SendResult } from '../../contract/transactional.js';
import type { CallPromise } from '../call-promise.js';
import type { Caller } from '../caller.js';
import type { RequestOptions } from '../request-options.js';

/**
 * One-off template messages (document §4), at `messaging.transactional`.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, type Transactional } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * const transactional: Transactional = messaging.transactional;
 * await messaging.contacts.upsert({ phone: '+15551234567' });
 * await transactional.send({
 *   phone: '+15551234567',
 *   templateId: 'order_update',
 *   variables: { '1': 'Ada', '2': 'A-1001' },
 * });
 * ```
 */
export class Transactional {
  readonly #caller: Caller;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Sends an approved template message to one existing contact (document §4, POST /v1/transactional). Counts
   * against the plan's conversation quota.
   *
   * It is made again only when the request provably never reached the service, or was turned away with 429: a
   * second send would be a second message. Where `outcome` is `unknown`, the message may be on its way.
   *
   * @throws {QuotaExceededError} (402) when quota and add-on credits are exhausted.
   * @throws {NotFoundError} (404) when no contact has this phone.
   * @throws {SendFailedError} (422) when the provider rejected the send.
   * @throws {RequestError} of another class, for any other failure.
   *
   * @example
   * ```ts
   * import { MessagingAutomation, RequestError } from 'messaging-automation';
   *
   * const messaging = new MessagingAutomation();
   * await messaging.contacts.upsert({ phone: '+15551234567' });
   * try {
   *   await messaging.transactional.send({
   *     phone: '+15551234567',
   *     templateId: 'order_update',
   *     variables: { '1': 'Ada', '2': 'A-1001' },
   *   });
   * } catch (error) {
   *   if (error instanceof RequestError && error.outcome === 'unknown') console.error('It may be on its way.');
   *   else throw error;
   * }
   * ```
   */
  send(input: SendInput, options?: RequestOptions): CallPromise<SendResult> {
    return this.#caller.call(operations.transactional.send, { body: input }, options);
  }
}
