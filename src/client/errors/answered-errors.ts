import { describeErrorClass } from '../../foundation/base-error.js';
import { ApiError } from './api-error.js';

/**
 * The service found the request invalid: status 400, or 422 where it uses that for the same. `details` names the
 * fields, where the service does. The document shows no such answer (§7).
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
 * The service did not accept the API key: status 401, or 403 with that code. The document shows no such answer
 * (§5).
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
 * The API key is not allowed to do this, or not accepted at all: status 403. The document shows no such answer
 * (§5).
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
 * The plan's conversation quota and its add-on credits are exhausted: status 402 `quota_exceeded` (document §7).
 * Nothing was sent, and nothing will be until there is quota again.
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
 * What the call names does not exist: status 404 (document §7), or 410, which the document does not show. For
 * `transactional.send` and `events.track` that is the contact, which has to be created first. `contacts.find` gives
 * `null` instead of a 404.
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
 *   console.error('There is no such contact.', error.code);
 * }
 * ```
 */
export class NotFoundError extends ApiError {
  static {
    describeErrorClass(this, 'NotFoundError');
  }
}

/**
 * The provider rejected the send: status 422 `send_failed` (document §7). The template is not approved, its
 * variables are wrong, or the provider has a problem of its own.
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
 * Too many requests: status 429, after the retries were spent or where `Retry-After` asks for a longer wait than
 * `maxRetryAfter` or the deadline allows. The document shows no rate limit (§8).
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
 * The service failed: status 500 or above. The request may have been carried out all the same, so `outcome` is
 * `unknown`. The document shows no such answer (§7).
 *
 * @example
 * ```ts
 * import { MessagingAutomation, ServerError } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * try {
 *   await messaging.events.track({ event: 'order_placed', contactId: 'unknown' });
 * } catch (error) {
 *   if (error instanceof ServerError) console.error(error.status, error.retryable ? 'try again' : 'look before trying again');
 * }
 * ```
 */
export class ServerError extends ApiError {
  static {
    describeErrorClass(this, 'ServerError');
  }
}
