import type { CallSettings } from '../configuration.js';
import { MiddlewareError } from '../errors/no-response-errors.js';
import {
  cleanCopy,
  describeOutcome,
  factsOf,
  type Outcome,
  type RequestError,
} from '../errors/request-error.js';
import type { CallState } from '../request/request.js';
import { connectionFailure } from '../response/connection-failure.js';
import { outcomeOf } from '../response/response-failure.js';
import type { TransportRequest, TransportResponse } from '../transport/transport.js';

/** One attempt of a call, by {@link createAttempt}. */
export type Attempt = ReturnType<typeof createAttempt>;

/**
 * The latest attempt of a call, through the middleware to the transport. It makes at most one request, and always knows what
 * became of it, whatever the middleware returns.
 */
export function createAttempt({ middleware, transport, redact }: CallSettings, call: CallState) {
  const { name, path } = call.operation;
  const attempt = call.attempts;
  let outcome: Outcome = 'not_sent';
  let lost: RequestError | undefined;
  const onSending = () => {
    outcome = 'unknown';
  };

  async function send(request: TransportRequest, key: string): Promise<TransportResponse> {
    // A transport that does not announce sending may send at once.
    if (transport.announcesSending !== true) onSending();
    // New headers for each attempt, because a custom fetch may change them.
    const headers = { ...request.headers, authorization: `Bearer ${key}` };
    try {
      const response = await transport.exchange({ ...request, headers, onSending });
      outcome = outcomeOf(response.status);
      return response;
    } catch (thrown) {
      request.signal.throwIfAborted();
      const failure = connectionFailure(thrown, outcome, redact);
      outcome = failure.outcome;
      // Middleware gets the error that the call would throw, because the transport's own error may contain the key.
      lost = failure.toError(factsOf(call, failure.temporary));
      throw lost;
    }
  }

  return {
    /** The outcome of the request if the attempt ended now. */
    get outcome() {
      return outcome;
    },
    /**
     * Adds the key and makes the request.
     *
     * @returns The response, or the error of the call: of the connection, or of a middleware. Rejects with the signal's reason.
     */
    async run(request: TransportRequest, key: string): Promise<TransportResponse | RequestError> {
      try {
        if (middleware.length === 0) return await send(request, key);
        // Most clients have no middleware and do not load this code.
        const { passThrough } = await import('../observability/middleware-chain.js');
        const description = { operation: name, urlTemplate: path, attempt };
        return await passThrough(middleware, request, description, (passed) => send(passed, key));
      } catch (thrown) {
        request.signal.throwIfAborted();
        if (lost && thrown === lost) return lost;
        const facts = factsOf(call, false);
        const cause = cleanCopy(thrown, redact);
        const message = `${name} failed in a middleware (${cause.message}). ${describeOutcome(facts)}`;
        return new MiddlewareError(message, { ...facts, cause });
      }
    },
  };
}
