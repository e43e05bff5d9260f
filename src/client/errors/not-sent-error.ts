import { describeErrorClass, MessagingAutomationError } from '../../foundation/base-error.js';

/**
 * What a transport of your own rejects with when it knows that nothing of the request has left. The client then
 * makes the request again, if retries are left, even where a second one would be a second message. Callers never
 * see it: they get a `ConnectionError` whose `outcome` is `not_sent`.
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

  /** @param cause Why it was not sent. */
  constructor(cause: unknown) {
    super('The request was not sent.', { cause });
  }
}
