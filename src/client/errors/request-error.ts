import { describeErrorClass, MessagingAutomationError } from '../../foundation/base-error.js';

/**
 * What became of a request that failed.
 *
 * - `not_sent`: it provably never reached the service.
 * - `rejected`: the service turned it away; nothing was done.
 * - `unknown`: it may have been carried out. A template may be on its way, so find out before sending again.
 *
 * Where a call made several attempts, this is the least certain of their outcomes.
 *
 * @example
 * ```ts
 * import type { Outcome } from 'messaging-automation';
 *
 * const advice: Record<Outcome, string> = {
 *   not_sent: 'send it again',
 *   rejected: 'correct it first',
 *   unknown: 'look before sending again',
 * };
 * ```
 */
export type Outcome = 'not_sent' | 'rejected' | 'unknown';

/**
 * What a {@link RequestError} knows besides its message. Of use for building one in a test of your own.
 *
 * @example
 * ```ts
 * import { ConnectionError, type RequestErrorFacts } from 'messaging-automation';
 *
 * const facts: RequestErrorFacts = {
 *   operation: 'transactional.send',
 *   outcome: 'unknown',
 *   retryable: false,
 *   attempts: 1,
 * };
 * const error = new ConnectionError('The connection was lost.', facts);
 * console.log(error.outcome);
 * ```
 */
export interface RequestErrorFacts {
  /** Resource and verb of the call, as in `contacts.upsert`. */
  readonly operation: string;
  /** What became of the request. */
  readonly outcome: Outcome;
  /** Whether the same call, made again later, may succeed without doing anything twice. */
  readonly retryable: boolean;
  /** How many requests were made, the first included; 0 when none was. */
  readonly attempts: number;
  /** The HTTP status, where an answer came. */
  readonly status?: number | undefined;
  /** The service's error code, or that of the failed connection. */
  readonly code?: string | undefined;
  /** The service's id of the request, from the answer's `x-request-id`. */
  readonly requestId?: string | undefined;
  /** What lay beneath, cleaned of keys and phone numbers. */
  readonly cause?: unknown;
}

/**
 * Any error that a call of the client rejects with, but for the reason of an `AbortSignal` of your own, which
 * comes as it is.
 *
 * No such error holds the API key, a secret or a whole phone number: not in its message, its fields or its
 * `cause`.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, RequestError } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * try {
 *   await messaging.contacts.get('unknown');
 * } catch (error) {
 *   if (!(error instanceof RequestError)) throw error;
 *   console.error(error.operation, error.status, error.code, error.outcome, error.retryable);
 * }
 * ```
 */
export class RequestError extends MessagingAutomationError {
  /** Resource and verb of the call, as in `contacts.upsert`. */
  readonly operation: string;
  /** What became of the request. */
  readonly outcome: Outcome;
  /** Whether the same call, made again later, may succeed without doing anything twice. */
  readonly retryable: boolean;
  /** How many requests were made, the first included; 0 when none was. */
  readonly attempts: number;
  /** The HTTP status, where an answer came. */
  readonly status: number | undefined;
  /** The service's error code, or that of the failed connection, such as `ECONNRESET`. */
  readonly code: string | undefined;
  /** The service's id of the request, where the answer carried one. Quote it when asking for help. */
  readonly requestId: string | undefined;

  static {
    describeErrorClass(this, 'RequestError');
  }

  constructor(message: string, facts: RequestErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.operation = facts.operation;
    this.outcome = facts.outcome;
    this.retryable = facts.retryable;
    this.attempts = facts.attempts;
    this.status = facts.status;
    this.code = facts.code;
    this.requestId = facts.requestId;
  }

  /** The error as plain data, for logs: name, message and every fact, without stack and cause. */
  toJSON(): object {
    return { name: this.name, message: this.message, ...Object.fromEntries(Object.entries(this)) };
  }
}
