import { describeErrorClass, MessagingAutomationError } from '../../foundation/base-error.js';

/**
 * What went wrong in a receiver, besides what a handler, a secret or a store throws itself.
 *
 * - `claim_lost`: the delivery's claim ended while its handlers ran, so another process may handle it too. The handlers
 *   go on.
 * - `handler_timeout`: the handlers were not done within `handlerTimeout`. The claim was given up.
 * - `overloaded`: `maxConcurrent` deliveries are being handled. This one was answered with 503.
 * - `store_fault`: the dedupe store gave an answer that no store may give, or none for as long as a lease. Where it
 *   was asked for the claim, no handler ran.
 *
 * @example
 * ```ts
 * import type { ReceiverErrorReason } from 'messaging-automation/webhooks';
 *
 * const isOurStore = (reason: ReceiverErrorReason) => reason === 'store_fault' || reason === 'claim_lost';
 * ```
 */
export type ReceiverErrorReason = 'claim_lost' | 'handler_timeout' | 'overloaded' | 'store_fault';

/**
 * A receiver could not handle a verified delivery as it should. Told to `onError`. The message says what to do.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, ReceiverError } from 'messaging-automation/webhooks';
 *
 * const receiver = createWebhookReceiver({
 *   secret: 'whsec_example',
 *   onError: (error) => {
 *     if (error instanceof ReceiverError) console.error(error.reason, error.message);
 *   },
 * });
 * ```
 */
export class ReceiverError extends MessagingAutomationError {
  static {
    describeErrorClass(this, 'ReceiverError');
  }

  /** What went wrong, for a program. */
  readonly reason: ReceiverErrorReason;

  constructor(reason: ReceiverErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
