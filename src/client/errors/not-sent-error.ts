import { describeErrorClass, MessagingAutomationError } from '../../foundation/base-error.js';

/**
 * Reject with this error in your own {@link Transport} when the request has certainly not left the machine. The client
 * then retries it, if retries remain, even if the operation is not safe to repeat. Callers do not see this error: they
 * get a `ConnectionError` whose `outcome` is `not_sent`.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, NotSentError, type Transport } from 'messaging-automation';
 *
 * const offline: Transport = {
 *   exchange: () => Promise.reject(new NotSentError(new Error('There is no network.'))),
 * };
 * const messaging = new MessagingAutomation({ transport: offline, retries: 0 });
 * await messaging.templates.list().catch((error) => console.log(error.outcome)); // not_sent
 * ```
 */
export class NotSentError extends MessagingAutomationError {
  static {
    describeErrorClass(this, 'NotSentError');
  }

  /** @param cause Why the request was not sent. */
  constructor(cause: unknown) {
    super('The request was not sent.', { cause });
  }
}
