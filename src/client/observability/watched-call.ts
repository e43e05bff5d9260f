import type { AnyOperation } from '../../contract/operation.js';
import type { Outcome } from '../errors/request-error.js';

/** A call as those see it who watch: a logger, a tracer. */
export interface WatchedCall {
  readonly operation: AnyOperation;
  /** How many attempts it has made by now. */
  readonly attempts: number;
  /** What would be true of it if it ended now. */
  readonly outcome: Outcome;
}
