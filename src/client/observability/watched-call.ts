import type { Outcome } from '../errors/request-error.js';
import type { AnyCallable } from '../request/callable-operation.js';

/** A call as loggers and tracers see it. */
export interface WatchedCall {
  readonly operation: AnyCallable;
  /** How many attempts it has made so far. */
  readonly attempts: number;
  /** The outcome of the call if it ended now. */
  readonly outcome: Outcome;
}
