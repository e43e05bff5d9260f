import { describeErrorClasses } from '../../foundation/base-error.js';
import type { FieldProblem } from '../../foundation/options.js';
import { RequestError, type RequestErrorFacts } from './request-error.js';

/** The fields of an {@link ApiError}, to construct one in your tests. */
export type ApiErrorFacts = RequestErrorFacts & {
  /** The HTTP status of the response. */
  readonly status: number;
  /** The invalid fields, as the service names them. */
  readonly details?: readonly FieldProblem[] | undefined;
  /** The `Retry-After` of the response, in milliseconds. */
  readonly retryAfter?: number | undefined;
  /** The service's own message. */
  readonly serviceMessage?: string | undefined;
  /** The response headers, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The beginning of the response body. */
  readonly body?: string | undefined;
};

/**
 * The service responded with an error status. The common ones have subclasses: {@link NotFoundError}, {@link
 * QuotaExceededError} and others. A status without a subclass, such as 409 or 413, is a plain `ApiError`.
 *
 * @example
 * ```ts
 * import { ApiError, MessagingAutomation } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * try {
 *   await messaging.contacts.get('unknown');
 * } catch (error) {
 *   if (!(error instanceof ApiError)) throw error;
 *   console.error(error.status, error.code, error.requestId);
 *   for (const detail of error.details) console.error(detail.field, detail.message);
 * }
 * ```
 */
export class ApiError extends RequestError {
  /** The HTTP status of the response. */
  declare readonly status: number;
  /** The first hundred invalid fields, as the service names them. Empty if it names none. */
  readonly details: readonly FieldProblem[];
  /** The `Retry-After` of the response in milliseconds; `undefined` without one. */
  readonly retryAfter: number | undefined;
  /** The service's own message: at most 300 characters, with keys and phone numbers redacted. */
  readonly serviceMessage: string | undefined;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #body: string;

  constructor(message: string, facts: ApiErrorFacts) {
    super(message, facts);
    this.details = facts.details ?? [];
    this.retryAfter = facts.retryAfter;
    this.serviceMessage = facts.serviceMessage;
    this.#headers = facts.headers ?? {};
    this.#body = facts.body ?? '';
  }

  /**
   * The response headers, by lower-case name, without cookies and with keys and phone numbers redacted. Printing the
   * error and `toJSON()` include neither `headers` nor `body`.
   */
  get headers(): Readonly<Record<string, string>> {
    return this.#headers;
  }

  /** The first 4,000 characters of the response body, with keys and phone numbers redacted. */
  get body(): string {
    return this.#body;
  }
}

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
export class BadRequestError extends ApiError {}

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
export class AuthenticationError extends ApiError {}

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
export class PermissionError extends ApiError {}

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
export class QuotaExceededError extends ApiError {}

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
export class NotFoundError extends ApiError {}

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
export class SendFailedError extends ApiError {}

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
export class RateLimitError extends ApiError {}

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
export class ServerError extends ApiError {}

/**
 * The service responded with a success status, but the client cannot use the response body: it is an HTML page, it is
 * not JSON, or, with `validation: 'strict'`, it has an unexpected shape. `problems` names the fields.
 *
 * `outcome` is `unknown`: the status says that the request was carried out, but the body does not confirm it.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, UnusableResponseError } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation({ validation: 'strict' });
 * try {
 *   await messaging.templates.list();
 * } catch (error) {
 *   if (!(error instanceof UnusableResponseError)) throw error;
 *   for (const problem of error.problems) console.error(problem.field, problem.message);
 * }
 * ```
 */
export class UnusableResponseError extends RequestError {
  /** The HTTP status of the response. */
  declare readonly status: number;
  /** What is wrong with the response, field by field. */
  readonly problems: readonly FieldProblem[];

  constructor(
    message: string,
    facts: RequestErrorFacts & { readonly status: number; readonly problems: readonly FieldProblem[] },
  ) {
    super(message, facts);
    this.problems = facts.problems;
  }
}

/**
 * The service responded with a success status, and the response body is larger than `maxResponseBytes`. The client
 * stopped reading and does not retry. `outcome` is `unknown`: the status says that the request was carried out.
 *
 * An error response with a body that is too large is the {@link ApiError} of its status.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, ResponseTooLargeError } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation({ maxResponseBytes: 50 * 1024 * 1024 });
 * try {
 *   await messaging.templates.list();
 * } catch (error) {
 *   if (!(error instanceof ResponseTooLargeError)) throw error;
 *   console.error(error.operation, error.message);
 * }
 * ```
 */
export class ResponseTooLargeError extends UnusableResponseError {}

describeErrorClasses({
  ApiError,
  BadRequestError,
  AuthenticationError,
  PermissionError,
  QuotaExceededError,
  NotFoundError,
  SendFailedError,
  RateLimitError,
  ServerError,
  UnusableResponseError,
  ResponseTooLargeError,
});
