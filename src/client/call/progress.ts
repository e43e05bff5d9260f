import type { OperationRequest } from '../../contract/operation.js';
import type { Outcome } from '../errors/request-error.js';
import type { CallableOperation, CallState } from '../request/request.js';

/** An attempt of a call, and the outcome of its request if the attempt ended now. */
export interface AttemptState {
  outcome: Outcome;
}

/** What has become of a call so far: its attempts write it; errors, logs, traces and the caller read it. */
export class CallProgress<Result> implements CallState<Result> {
  readonly operation: CallableOperation<OperationRequest, Result>;
  #attempts = 0;
  /** The outcome of the attempts before the latest. */
  #earlier: Outcome = 'not_sent';
  #latest: AttemptState = { outcome: 'not_sent' };

  constructor(operation: CallableOperation<OperationRequest, Result>) {
    this.operation = operation;
  }

  get attempts(): number {
    return this.#attempts;
  }

  get outcome(): Outcome {
    return leastCertain(this.#earlier, this.#latest.outcome);
  }

  /** Begins an attempt, which sets its outcome. A request of an earlier attempt that ends late changes nothing. */
  beginAttempt(): AttemptState {
    this.#earlier = this.outcome;
    this.#attempts += 1;
    this.#latest = { outcome: 'not_sent' };
    return this.#latest;
  }
}

const certainty: readonly Outcome[] = ['not_sent', 'rejected', 'unknown'];

/** The less certain of two outcomes, for a call with several attempts. */
function leastCertain(one: Outcome, other: Outcome): Outcome {
  return certainty.indexOf(one) > certainty.indexOf(other) ? one : other;
}
