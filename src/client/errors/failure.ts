import type { Outcome, RequestError } from './request-error.js';

/** What only the call as a whole knows of its error. */
export interface CallFacts {
  readonly operation: string;
  readonly outcome: Outcome;
  readonly retryable: boolean;
  readonly attempts: number;
}

/** An attempt that failed, and the error it becomes when it was the last. */
export interface Failure {
  /** What became of the request. */
  readonly outcome: Outcome;
  /** Whether the cause may pass by itself. */
  readonly temporary: boolean;
  /** The HTTP status, where an answer came. */
  readonly status?: number | undefined;
  /** How long the service asked to wait, in milliseconds. */
  readonly retryAfter?: number | undefined;
  toError(facts: CallFacts): RequestError;
}

/** What an error's message says at its end: what became of the request, and whether to repeat it. */
export function describeOutcome({ outcome, retryable }: Pick<CallFacts, 'outcome' | 'retryable'>): string {
  if (outcome === 'not_sent') return 'Nothing was sent.';
  if (outcome === 'rejected') return 'Nothing was done.';
  return retryable
    ? 'It may or may not have been carried out; making the call again is safe.'
    : 'It may have been carried out all the same: find out before making the call again.';
}
