import type { Redact } from '../../contract/redaction.js';
import { describeErrorClass, MessagingAutomationError } from '../../foundation/base-error.js';
import { isObject } from '../../foundation/is-object.js';
import type { FieldProblem } from '../../foundation/options.js';

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
export type RequestErrorFacts = {
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
};

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

/** What every error of a call says about it. */
export type CallFacts = Pick<RequestErrorFacts, 'operation' | 'outcome' | 'retryable' | 'attempts'>;

/**
 * What an error says about a call that fails now.
 *
 * @param temporary Whether a retry may succeed. It is safe if the operation is idempotent, or the service certainly has not
 *   carried it out.
 */
export function factsOf({ operation, outcome, attempts }: FailingCall, temporary: boolean): CallFacts {
  const retryable = temporary && (operation.repeatable || outcome !== 'unknown');
  return { operation: operation.name, outcome, retryable, attempts };
}

interface FailingCall {
  readonly operation: { readonly name: string; readonly repeatable: boolean };
  readonly outcome: Outcome;
  readonly attempts: number;
}

/** The middle of an error message: the call ended before its request, which may have been a repetition. */
export function noRequest({ attempts }: Pick<CallFacts, 'attempts'>): string {
  return attempts === 0 ? 'made no request' : 'made no further request';
}

/** The end of an error message: what became of the request, and whether a retry is safe. */
export function describeOutcome({ outcome, retryable }: Pick<CallFacts, 'outcome' | 'retryable'>): string {
  if (outcome === 'not_sent') return 'Nothing was sent.';
  if (outcome === 'rejected') return 'Nothing was done.';
  return retryable
    ? 'The service may have processed it. A retry is safe.'
    : 'The service may have processed it. Check before you retry.';
}

/**
 * The first hundred problems, without what the user's data may have put into the names of fields: a property called
 * after a phone.
 */
export function redactProblems(problems: readonly FieldProblem[], redact: Redact): readonly FieldProblem[] {
  return problems
    .slice(0, 100)
    .map(({ field, message }) => ({ field: redact(field).slice(0, 300), message }));
}

/**
 * Copies an error that the user's own code threw, and redacts secrets in its name, message and stack, because that code
 * sees URLs, bodies and keys.
 *
 * @param redact Removes keys, secrets and phone numbers from a text.
 */
export function cleanCopy(thrown: unknown, redact: (text: string) => string): Error {
  if (!isObject(thrown) || typeof thrown.message !== 'string')
    return new Error('It threw a value that is not an error.');
  const copy = new Error(redact(thrown.message));
  if (typeof thrown.name === 'string') copy.name = redact(thrown.name);
  if (typeof thrown.stack === 'string') copy.stack = redact(thrown.stack);
  return copy;
}
