import type { CallSettings } from '../configuration.js';
import { ApiKeyUnavailableError, MiddlewareError } from '../errors/no-response-errors.js';
import { cleanCopy, describeOutcome, factsOf, RequestError } from '../errors/request-error.js';
import type { CallState } from '../request/request.js';
import type { TransportRequest, TransportResponse } from '../transport/transport.js';
import type { Deadline } from './deadline.js';

/** Passes the request of an attempt on: to the next step, or to the service. */
export type PassOn = (request: TransportRequest) => Promise<TransportResponse>;

/** What a step may know of the call. */
export interface StepContext {
  readonly call: CallState;
  /** Those of the client, with a redactor that knows the phones of this call. */
  readonly settings: CallSettings;
  readonly deadline: Deadline;
  /** Aborts when the call shall make no further attempt. */
  readonly noMoreAttempts: AbortSignal | undefined;
  /** Counts the attempt, unless it is counted. A call that a step ends before its first request has made none. */
  readonly beginAttempt: () => void;
}

/**
 * What asks before a request leaves: it passes the request on and returns the response, or rejects with the error that ends the call.
 *
 * Every request of a call goes through all steps, in their order, because the world may have changed since the request before. Each step
 * stands as close to the request as it can: nothing that waits long comes after one whose permission may expire.
 */
export type Step = (
  request: TransportRequest,
  passOn: PassOn,
  context: StepContext,
) => Promise<TransportResponse>;

/** The steps of every call of a client: its limiter admits the request, its middleware sees it, and it gets the API key. */
export function stepsOfClient({ limiter, middleware }: CallSettings): readonly Step[] {
  return [...(limiter ? [admit] : []), ...(middleware.length > 0 ? [passThroughMiddleware] : []), addKey];
}

/** Waits until the limiter admits the request: at most until the deadline, an abort, or the end of all attempts. */
const admit: Step = async (request, passOn, { call, settings: { limiter }, deadline, noMoreAttempts }) => {
  if (limiter === undefined) return passOn(request);
  const signal = noMoreAttempts ? AbortSignal.any([deadline.signal, noMoreAttempts]) : deadline.signal;
  const release = await limiter.acquire(signal, deadline.remaining()).catch((reason: unknown) => {
    deadline.signal.throwIfAborted();
    if (!noMoreAttempts?.aborted) throw reason;
    const facts = factsOf(call, true);
    const message = `${facts.operation} was stopped before its request. ${describeOutcome(facts)}`;
    throw new RequestError(message, facts);
  });
  try {
    return await deadline.bound(passOn(request));
  } finally {
    release();
  }
};

/** Calls the middleware around the steps after it. An error of those steps that a middleware throws on stays the error of the call. */
const passThroughMiddleware: Step = async (request, passOn, { call, settings, beginAttempt }) => {
  beginAttempt();
  // Most clients have no middleware and do not load this code.
  const { passThrough } = await import('../observability/middleware-chain.js');
  const { name, path } = call.operation;
  const description = { operation: name, urlTemplate: path, attempt: call.attempts };
  const ownErrors = new Set<unknown>();
  const send: PassOn = (passed) =>
    passOn(passed).catch((thrown: unknown) => {
      ownErrors.add(thrown);
      throw thrown;
    });
  try {
    return await passThrough(settings.middleware, request, description, send);
  } catch (thrown) {
    request.signal.throwIfAborted();
    if (ownErrors.has(thrown)) throw thrown;
    const facts = factsOf(call, false);
    const cause = cleanCopy(thrown, settings.redact);
    const message = `${name} failed in a middleware (${cause.message}). ${describeOutcome(facts)}`;
    throw new MiddlewareError(message, { ...facts, cause });
  }
};

/** Asks for the API key, which may be another one than before, and adds it. Middleware does not see it. */
const addKey: Step = async (request, passOn, { call, settings }) => {
  const key = await settings.apiKey.current().catch((thrown: unknown) => {
    throw new ApiKeyUnavailableError(factsOf(call, true), cleanCopy(thrown, settings.redact));
  });
  // New headers for each attempt, because a custom fetch may change them.
  return passOn({ ...request, headers: { ...request.headers, authorization: `Bearer ${key}` } });
};
