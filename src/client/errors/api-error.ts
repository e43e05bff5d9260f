import { describeErrorClass } from '../../foundation/base-error.js';
import type { FieldProblem } from '../../foundation/field-problem.js';
import { RequestError, type RequestErrorFacts } from './request-error.js';

/**
 * What an {@link ApiError} knows besides its message.
 *
 * @example
 * ```ts
 * import { type ApiErrorFacts, NotFoundError } from 'messaging-automation';
 *
 * const facts: ApiErrorFacts = {
 *   operation: 'contacts.get',
 *   outcome: 'rejected',
 *   retryable: false,
 *   attempts: 1,
 *   status: 404,
 *   code: 'not_found',
 * };
 * const error = new NotFoundError('No contact has this id.', facts);
 * console.log(error.status);
 * ```
 */
export interface ApiErrorFacts extends RequestErrorFacts {
  /** The HTTP status of the answer. */
  readonly status: number;
  /** The fields the service complains of. */
  readonly details?: readonly FieldProblem[] | undefined;
  /** How long the service asks to be left alone, in milliseconds. */
  readonly retryAfter?: number | undefined;
  /** What the service says, in its own words. */
  readonly serviceMessage?: string | undefined;
  /** The headers of the answer, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The beginning of the answer's body. */
  readonly body?: string | undefined;
}

/**
 * The service answered with an error (document §7). The commoner ones have classes of their own, all of which
 * extend this one; a status without one, such as 409 or 413, comes as a plain `ApiError`.
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
  /** The HTTP status of the answer. */
  declare readonly status: number;
  /** The fields the service complains of, the first hundred; empty where it names none. */
  readonly details: readonly FieldProblem[];
  /** How long the service asks to be left alone, in milliseconds, where it says so in `Retry-After`. */
  readonly retryAfter: number | undefined;
  /** What the service says, in its own words: at most 300 characters, cleaned of keys and phone numbers. */
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
   * The headers of the answer, by lower-case name, without cookies and cleaned of keys and phone numbers. Neither they
   * nor `body` are printed with the error or part of `toJSON()`.
   */
  get headers(): Readonly<Record<string, string>> {
    return this.#headers;
  }

  /** The answer's body as text: its first 4,000 characters, cleaned of keys and phone numbers. */
  get body(): string {
    return this.#body;
  }
}
