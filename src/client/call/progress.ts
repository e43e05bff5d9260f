import type { OperationRequest } from '../../contract/operation.js';
import type { Outcome } from '../errors/request-error.js';
import type { CallableOperation, CallState } from '../request/request.js';

/** One attempt of a call. */
export interface AttemptState {
  /** The outcome of its request if the attempt ended now. */
  outcome: Outcome;
  /** Whether middleware or the transport, whichever comes first, has its request. An attempt that a step ends before does not count. */
  isCounted: boolean;
}

/** What has become of a call so far: its attempts write it; errors, logs, traces and the caller read it. */
export class CallProgress<Result> implements CallState<Result> {
  readonly operation: CallableOperation<OperationRequest, Result>;
  /** The number and the outcome of the attempts before the latest. */
  #earlier: { readonly attempts: number; readonly outcome: Outcome } = { attempts: 0, outcome: 'not_sent' };
  #latest: AttemptState = { outcome: 'not_sent', isCounted: false };

  constructor(operation: CallableOperation<OperationRequest, Result>) {
    this.operation = operation;
  }

  get attempts(): number {
    return this.#earlier.attempts + (this.#latest.isCounted ? 1 : 0);
  }

  get outcome(): Outcome {
    return leastCertain(this.#earlier.outcome, this.#latest.outcome);
  }

  /** Begins an attempt, which writes its state. */
  beginAttempt(): AttemptState {
    this.#earlier = { attempts: this.attempts, outcome: this.outcome };
    this.#latest = { outcome: 'not_sent', isCounted: false };
    return this.#latest;
  }
}

const certainty: readonly Outcome[] = ['not_sent', 'rejected', 'unknown'];

/** The less certain of two outcomes, for a call with several attempts. */
function leastCertain(one: Outcome, other: Outcome): Outcome {
  return certainty.indexOf(one) > certainty.indexOf(other) ? one : other;
}
