import { describeErrorClass, MessagingAutomationError } from '../../foundation/base-error.js';

/**
 * Why a receiver refused a request before it looked at the signature.
 *
 * - `wrong_method`: not a POST. Answered with 405.
 * - `draining`: `drain()` was called, so the process is about to end. Answered with 503; the service sends the delivery
 *   again.
 *
 * @example
 * ```ts
 * import type { RefusedRequestReason } from 'messaging-automation/webhooks';
 *
 * const isExpected = (reason: RefusedRequestReason) => reason === 'draining';
 * ```
 */
export type RefusedRequestReason = 'wrong_method' | 'draining';

/**
 * A request that a receiver refused before it looked at the signature. Told to `onRefused`.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, RefusedRequestError } from 'messaging-automation/webhooks';
 *
 * const receiver = createWebhookReceiver({
 *   secret: 'whsec_example',
 *   onRefused: (error) => {
 *     if (!(error instanceof RefusedRequestError)) console.warn(error.reason, error.message);
 *   },
 * });
 * ```
 */
export class RefusedRequestError extends MessagingAutomationError {
  static {
    describeErrorClass(this, 'RefusedRequestError');
  }

  /** Why, for a program. */
  readonly reason: RefusedRequestReason;

  constructor(reason: RefusedRequestReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
