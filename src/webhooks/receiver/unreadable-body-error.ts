import { describeErrorClass, MessagingAutomationError } from '../../foundation/base-error.js';

/**
 * Why the bytes of a body are not available.
 *
 * - `too_large`: more bytes than `maxBodyBytes`. Answered with 413.
 * - `aborted`: the sender disconnected, so no one can receive an answer.
 * - `stalled`: the body had not arrived at the deadline. Answered with 503.
 * - `parsed`: a middleware has parsed the body and discarded its bytes. The setup is wrong.
 * - `consumed`: a middleware has read the body. The setup is wrong.
 * - `encoded`: the body is compressed. The service never compresses.
 */
export type UnreadableBodyReason = 'too_large' | 'aborted' | 'stalled' | 'parsed' | 'consumed' | 'encoded';

/**
 * The bytes of a delivery are not available, so the receiver could not verify it. The message names the framework's option that keeps
 * them.
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

  /** The reason, for code. */
  readonly reason: UnreadableBodyReason;

  constructor(reason: UnreadableBodyReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
