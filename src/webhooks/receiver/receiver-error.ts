import { describeErrorClass, MessagingAutomationError } from '../../foundation/base-error.js';

/**
 * A failure in a receiver that is not an error of a handler, a secret or a store.
 *
 * - `claim_lost`: the delivery's claim ended while its handlers ran, so another process may handle it, too. The handlers
 *   continue.
 * - `handler_timeout`: the handlers were not done within `handlerTimeout`. The receiver released the claim.
 * - `overloaded`: `maxConcurrent` deliveries are being handled. This one was answered with 503.
 * - `store_fault`: the dedupe store returned an invalid value, or nothing for the time of a lease. If this was the claim, no handler
 *   ran.
 */
export type ReceiverErrorReason = 'claim_lost' | 'handler_timeout' | 'overloaded' | 'store_fault';

/**
 * A receiver could not handle a verified delivery as it should. `onError` receives it. The message says what to do.
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

  /** The reason, for code. */
  readonly reason: ReceiverErrorReason;

  constructor(reason: ReceiverErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
