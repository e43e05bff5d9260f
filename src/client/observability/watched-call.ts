import type { Outcome } from '../errors/request-error.js';
import type { AnyCallable } from '../request/callable-operation.js';

/** A call as those see it who watch: a logger, a tracer. */
export interface WatchedCall {
  readonly operation: AnyCallable;
  /** How many attempts it has made by now. */
  readonly attempts: number;
  /** What would be true of it if it ended now. */
  readonly outcome: Outcome;
}
