import { steersFramework } from '../../foundation/steering.js';
import { ApiKeyUnavailableError } from '../errors/no-response-errors.js';
import { cleanCopy, describeOutcome, factsOf, RequestError } from '../errors/request-error.js';
import type { CallState } from '../request/request.js';
import type { CallPlan } from './plan.js';
import type { Step } from './step.js';

/**
 * The steps of a call, in their order. Every request goes through all of them, because the world may have changed since the request before.
 * What waits long comes before what may expire. The wait for a connection of a transport comes after all of them.
 *
 * @param confirmKey Asks whether an idempotency key is still this call's.
 */
export function stepsOf(
  { settings, isGuarded }: Pick<CallPlan<unknown>, 'settings' | 'isGuarded'>,
  confirmKey?: Step,
): readonly Step[] {
  const { limiter, middleware, guards } = settings;
  return [
    ...(limiter ? [admit] : []),
    ...(middleware.length > 0 ? [throughMiddleware] : []),
    addApiKey,
    ...(isGuarded && guards.length > 0 ? [guarded] : []),
    ...(confirmKey ? [confirmKey] : []),
  ];
}

/** Waits until the limiter admits the request: at most until the deadline, an abort, or the end of all attempts. */
const admit: Step = async (request, passOn, { call, settings: { limiter }, deadline, noMoreAttempts }) => {
  if (limiter === undefined) return passOn(request);
  const signal = noMoreAttempts ? AbortSignal.any([deadline.signal, noMoreAttempts]) : deadline.signal;
  const release = await limiter.acquire(signal, deadline.remaining()).catch((reason: unknown) => {
    throw deadline.signal.aborted || !noMoreAttempts?.aborted ? reason : stoppedError(call);
  });
  try {
    // The place is free again at the deadline, also if a later step goes on.
    return await deadline.bound(passOn(request));
  } finally {
    release();
  }
};

/** The error of a call that shall make no further attempt. */
export function stoppedError(call: CallState): RequestError {
  const facts = factsOf(call, true);
  return new RequestError(
    `${facts.operation} was stopped before its request. ${describeOutcome(facts)}`,
    facts,
  );
}

/** Calls the middleware around the steps after it. A client without middleware does not load this code. */
const throughMiddleware: Step = async (request, passOn, context) => {
  context.attempt.isCounted = true;
  const { passThroughMiddleware } = await import('./pass-through-middleware.js');
  return passThroughMiddleware(request, passOn, context);
};

/** Asks for the API key, which may be another one than before, and adds it. Middleware does not see it. */
const addApiKey: Step = async (request, passOn, { call, settings }) => {
  const key = await settings.apiKey.current().catch((thrown: unknown) => {
    if (steersFramework(thrown)) throw thrown;
    throw new ApiKeyUnavailableError(factsOf(call, true), cleanCopy(thrown, settings.redact));
  });
  // New headers for each attempt, because a custom fetch may change them.
  return passOn({ ...request, headers: { ...request.headers, authorization: `Bearer ${key}` } });
};

/** Asks the guards of the client. A client without guards does not load this code. */
const guarded: Step = async (request, passOn, context) => {
  const { askGuards } = await import('./ask-guards.js');
  return askGuards(request, passOn, context);
};
