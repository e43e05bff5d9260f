import type { Redact } from '../../contract/redaction.js';
import type { FieldProblem } from '../../foundation/field-problem.js';
import { isObject } from '../../foundation/is-object.js';
import type { Outcome, RequestError, RequestErrorFacts } from './request-error.js';

/** The facts about a failed call that a single attempt does not know. */
export type CallFacts = Pick<RequestErrorFacts, 'operation' | 'outcome' | 'retryable' | 'attempts'>;

/** A failed attempt. `toError` makes the error of the call if the attempt was its last. */
export interface Failure {
  /** What became of the request. */
  readonly outcome: Outcome;
  /** Whether a retry may succeed. */
  readonly temporary: boolean;
  /** The HTTP status, if a response arrived. */
  readonly status?: number | undefined;
  /** The `Retry-After` of the response, in milliseconds. */
  readonly retryAfter?: number | undefined;
  toError(facts: CallFacts): RequestError;
}

/** The end of an error message: what became of the request, and whether a retry is safe. */
export function describeOutcome({ outcome, retryable }: Pick<CallFacts, 'outcome' | 'retryable'>): string {
  if (outcome === 'not_sent') return 'Nothing was sent.';
  if (outcome === 'rejected') return 'Nothing was done.';
  return retryable
    ? 'It may or may not have been carried out; making the call again is safe.'
    : 'It may have been carried out all the same: find out before making the call again.';
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
