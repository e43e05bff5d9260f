import { describeErrorClass, MessagingAutomationError } from '../../foundation/base-error.js';

/**
 * Why a receiver refused a request before it checked the signature.
 *
 * - `wrong_method`: not a POST. Answered with 405.
 * - `draining`: your process called `drain()`, because it shuts down. Answered with 503; the service sends the delivery
 *   again.
 * - `overloaded`: the receiver holds too many bytes of bodies that it has not verified, and this was the largest body. Answered with
 *   503; the service sends the delivery again.
 */
export type RefusedRequestReason = 'wrong_method' | 'draining' | 'overloaded';

/**
 * A request that a receiver refused before it checked the signature. `onRefused` receives it.
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

  /** The reason, for code. */
  readonly reason: RefusedRequestReason;

  constructor(reason: RefusedRequestReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
