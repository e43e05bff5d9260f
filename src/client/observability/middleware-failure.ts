import type { Redact } from '../../contract/redaction.js';
import { describeOutcome, type Failure } from '../call/failure.js';
import { MiddlewareError } from '../errors/middleware-error.js';
import type { Outcome } from '../errors/request-error.js';

/** Reads what a middleware threw of its own, where `outcome` had become of the request by then. */
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

/** Middleware sees URLs and bodies, so what it throws may hold a phone number. */
function cleanCopy(thrown: unknown, redact: Redact): Error {
  if (!(thrown instanceof Error)) return new Error('It threw something that is no error.');
  const copy = new Error(redact(thrown.message));
  copy.name = redact(thrown.name);
  if (thrown.stack !== undefined) copy.stack = redact(thrown.stack);
  return copy;
}
