import type { Redact } from '../../contract/redaction.js';
import { describeOutcome, type Failure } from '../errors/failure.js';
import { cleanCopy } from '../errors/problems.js';
import type { Outcome } from '../errors/request-error.js';
import { MiddlewareError } from '../errors/unanswered-errors.js';

/** Describes an error that a middleware threw, where `outcome` is what became of the request before. */
export function middlewareFailure(thrown: unknown, outcome: Outcome, redact: Redact): Failure {
  return {
    outcome,
    temporary: false,
    toError(facts) {
      const cause = cleanCopy(thrown, redact);
      const message = `${facts.operation} failed in a middleware (${cause.message}). ${describeOutcome(facts)}`;
      return new MiddlewareError(message, { ...facts, cause });
    },
  };
}
