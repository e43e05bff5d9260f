import { steersFramework } from '../../foundation/steering.js';
import { MiddlewareError } from '../errors/no-response-errors.js';
import { cleanCopy, describeOutcome, factsOf } from '../errors/request-error.js';
import { passThrough } from '../observability/middleware-chain.js';
import type { PassOn, Step } from './step.js';

/** Calls the middleware around the steps after it. An error of those steps that a middleware throws on stays the error of the call. */
export const passThroughMiddleware: Step = async (request, passOn, { call, settings, deadline }) => {
  const { name, path } = call.operation;
  const description = { operation: name, urlTemplate: path, attempt: call.attempts };
  const ownErrors = new Set<unknown>();
  const next: PassOn = (passed) =>
    deadline.bound(passOn(passed)).catch((thrown: unknown) => {
      ownErrors.add(thrown);
      throw thrown;
    });
  try {
    return await passThrough(settings.middleware, request, description, next);
  } catch (thrown) {
    request.signal.throwIfAborted();
    if (ownErrors.has(thrown) || steersFramework(thrown)) throw thrown;
    const facts = factsOf(call, false);
    const cause = cleanCopy(thrown, settings.redact);
    const message = `${name} failed in a middleware (${cause.message}). ${describeOutcome(facts)}`;
    throw new MiddlewareError(message, { ...facts, cause });
  }
};
