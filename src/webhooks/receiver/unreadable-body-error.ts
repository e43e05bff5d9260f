import { describeErrorClass, MessagingAutomationError } from '../../foundation/base-error.js';

/**
 * Why a body's bytes could not be had.
 *
 * - `too_large`: more bytes than the receiver takes. Answered with 413.
 * - `aborted`: the sender broke off. There is nobody left to answer.
 * - `stalled`: the body had not arrived at the deadline. Answered with 503.
 * - `parsed`: something before the receiver parsed the body and threw its bytes away: a fault of the set-up.
 * - `consumed`: something before the receiver read the body: a fault of the set-up.
 * - `encoded`: the body came compressed, which the service never does.
 *
 * @example
 * ```ts
 * import type { UnreadableBodyReason } from 'messaging-automation/webhooks';
 *
 * const isOurs = (reason: UnreadableBodyReason) => reason === 'parsed' || reason === 'consumed';
 * ```
 */
export type UnreadableBodyReason = 'too_large' | 'aborted' | 'stalled' | 'parsed' | 'consumed' | 'encoded';

/**
 * The bytes of a delivery could not be had, so it could not be verified. The message is for whoever runs the
 * receiver and names the framework's fix.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, UnreadableBodyError } from 'messaging-automation/webhooks';
 *
 * const receiver = createWebhookReceiver({
 *   secret: 'whsec_example',
 *   onError: (error) => {
 *     if (error instanceof UnreadableBodyError) console.error(error.reason, error.message);
 *   },
 * });
 * ```
 */
export class UnreadableBodyError extends MessagingAutomationError {
  static {
    describeErrorClass(this, 'UnreadableBodyError');
  }

  /** Why, for a program. */
  readonly reason: UnreadableBodyReason;

  constructor(reason: UnreadableBodyReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
