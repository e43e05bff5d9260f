import { describeErrorClass } from '../../foundation/base-error.js';
import { ApiError } from './api-error.js';

/**
 * The service rejected the request as invalid: status 400, or 422 with the same meaning. `details` names the fields if
 * the service does. Correct the input; a retry fails again. The service does not document this response.
 *
 * @example
 * ```ts
 * import { BadRequestError, MessagingAutomation } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * try {
 *   await messaging.contacts.update('unknown', { properties: { phone: '+15557654321' } });
 * } catch (error) {
 *   if (error instanceof BadRequestError) console.error(error.code, error.details);
 * }
 * ```
 */
export class BadRequestError extends ApiError {
  static {
    describeErrorClass(this, 'BadRequestError');
  }
}

/**
 * The service did not accept the API key: status 401, or 403 with the code for that. Check the key and the base URL.
 * The service does not document this response.
 *
 * @example
 * ```ts
 * import { AuthenticationError, MessagingAutomation } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * try {
 *   await messaging.templates.list();
 * } catch (error) {
 *   if (!(error instanceof AuthenticationError)) throw error;
 *   console.error('Check MESSAGING_AUTOMATION_API_KEY.', error.requestId);
 * }
 * ```
 */
export class AuthenticationError extends ApiError {
  static {
    describeErrorClass(this, 'AuthenticationError');
  }
}

/**
 * The API key does not allow this operation, or is not accepted at all: status 403. The service does not document this
 * response.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, PermissionError } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * try {
 *   await messaging.webhooks.list();
 * } catch (error) {
 *   if (!(error instanceof PermissionError)) throw error;
 *   console.error('This key may not list subscriptions.', error.code);
 * }
 * ```
 */
export class PermissionError extends ApiError {
  static {
    describeErrorClass(this, 'PermissionError');
  }
}

/**
 * The conversation quota of the plan and its add-on credits are exhausted: status 402, code `quota_exceeded`. Nothing
 * was sent. Further sends fail until there is quota again, so stop sending.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, QuotaExceededError } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * try {
 *   await messaging.contacts.upsert({ phone: '+15551234567' });
 *   await messaging.transactional.send({
 *     phone: '+15551234567',
 *     templateId: 'order_update',
 *     variables: { '1': 'Ada', '2': 'A-1001' },
 *   });
 * } catch (error) {
 *   if (!(error instanceof QuotaExceededError)) throw error;
 *   console.error('No conversations are left; stop the campaign.');
 * }
 * ```
 */
export class QuotaExceededError extends ApiError {
  static {
    describeErrorClass(this, 'QuotaExceededError');
  }
}

/**
 * The record that the call names does not exist: status 404, or 410, which the service does not document.
 *
 * For `transactional.send` and `events.track`, the contact does not exist: create it with `contacts.upsert` first.
 * `contacts.find` returns `null` instead.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, NotFoundError } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * try {
 *   await messaging.contacts.get('unknown');
 * } catch (error) {
 *   if (!(error instanceof NotFoundError)) throw error;
 *   console.error('No contact has this id.', error.code); // not_found
 * }
 * ```
 */
export class NotFoundError extends ApiError {
  static {
    describeErrorClass(this, 'NotFoundError');
  }
}

/**
 * The chat provider rejected the send: status 422, code `send_failed`. The template is not approved, its variables are
 * wrong, or the provider has a problem. `serviceMessage` has the reason if the service gives one.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, SendFailedError } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * try {
 *   await messaging.contacts.upsert({ phone: '+15551234567' });
 *   await messaging.transactional.send({ phone: '+15551234567', templateId: 'not_approved' });
 * } catch (error) {
 *   if (!(error instanceof SendFailedError)) throw error;
 *   console.error('The message was not sent.', error.message);
 * }
 * ```
 */
export class SendFailedError extends ApiError {
  static {
    describeErrorClass(this, 'SendFailedError');
  }
}

/**
 * The service rejected the request because of too many requests: status 429. The client throws it after its last retry,
 * or if `Retry-After` is longer than `maxRetryAfter` or the deadline allows. `retryAfter` has that time in
 * milliseconds. The service does not document a rate limit.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, RateLimitError } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * try {
 *   await messaging.templates.list();
 * } catch (error) {
 *   if (!(error instanceof RateLimitError)) throw error;
 *   console.error(`Come back in ${error.retryAfter ?? 60_000} ms.`);
 * }
 * ```
 */
export class RateLimitError extends ApiError {
  static {
    describeErrorClass(this, 'RateLimitError');
  }
}

/**
 * The service failed: status 500 or above. It may have carried out the request, so `outcome` is `unknown`. The service
 * does not document this response.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, ServerError } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * try {
 *   await messaging.events.track({ event: 'order_placed', contactId: 'unknown' });
 * } catch (error) {
 *   if (error instanceof ServerError) console.error(error.status, error.retryable ? 'retry later' : 'check before you retry');
 * }
 * ```
 */
export class ServerError extends ApiError {
  static {
    describeErrorClass(this, 'ServerError');
  }
}
