import { describeErrorClass } from '../../foundation/base-error.js';
import type { FieldProblem } from '../../foundation/field-problem.js';
import { RequestError, type RequestErrorFacts } from './request-error.js';

/** The fields of an {@link ApiError}, to construct one in your tests. */
export interface ApiErrorFacts extends RequestErrorFacts {
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
}

/**
 * The service answered with an error status. The common ones have subclasses: {@link NotFoundError}, {@link
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

  static {
    describeErrorClass(this, 'ApiError');
  }

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
