import { describeErrorClass, MessagingAutomationError } from '../../foundation/base-error.js';

/**
 * What became of a failed request.
 *
 * - `not_sent`: it certainly did not reach the service.
 * - `rejected`: the service rejected it and did nothing.
 * - `unknown`: the service may have carried it out. A message may have been sent: check before you send it again.
 *
 * If a call made several attempts, this is the least certain of their outcomes.
 */
export type Outcome = 'not_sent' | 'rejected' | 'unknown';

/** The fields of a {@link RequestError}, to construct one in your tests. */
export interface RequestErrorFacts {
  /** The resource and the verb of the call, such as `contacts.upsert`. */
  readonly operation: string;
  /** What became of the request. */
  readonly outcome: Outcome;
  /** Whether repeating the call later may succeed, and cannot repeat an effect. */
  readonly retryable: boolean;
  /** How many requests the call made, the first included. 0 if it made none. */
  readonly attempts: number;
  /** The HTTP status, if a response arrived. */
  readonly status?: number | undefined;
  /** The service's error code, or the code of the connection failure. */
  readonly code?: string | undefined;
  /** The service's id of the request, from the response header `x-request-id`. */
  readonly requestId?: string | undefined;
  /** The underlying error, with keys and phone numbers redacted. */
  readonly cause?: unknown;
}

/**
 * The base class of every error that a call of the client rejects with. One exception: if your `AbortSignal` aborts,
 * the call rejects with the reason of the signal.
 *
 * `outcome` says whether the request was carried out, and `retryable` whether you may repeat the call. The error
 * contains no API key, no secret and no whole phone number, neither in its message nor in its fields nor in its
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
  /** The resource and the verb of the call, such as `contacts.upsert`. */
  readonly operation: string;
  /** What became of the request. */
  readonly outcome: Outcome;
  /** Whether repeating the call later may succeed, and cannot repeat an effect. */
  readonly retryable: boolean;
  /** How many requests the call made, the first included. 0 if it made none. */
  readonly attempts: number;
  /** The HTTP status, if a response arrived. */
  readonly status: number | undefined;
  /** The service's error code, or the code of the connection failure, such as `ECONNRESET`. */
  readonly code: string | undefined;
  /** The service's id of the request, from the response header `x-request-id`. Quote it when you ask for support. */
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

  /** Returns the name, the message and every field as plain data for logs, without stack and cause. */
  toJSON(): object {
    return { name: this.name, message: this.message, ...Object.fromEntries(Object.entries(this)) };
  }
}
