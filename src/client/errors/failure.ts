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
