import type { CallSettings } from '../configuration.js';
import { MiddlewareError } from '../errors/no-response-errors.js';
import {
  cleanCopy,
  describeOutcome,
  type Failure,
  type Outcome,
  type RequestError,
} from '../errors/request-error.js';
import type { AnyCallable } from '../request/request.js';
import { connectionFailure } from '../response/connection-failure.js';
import { outcomeOf } from '../response/response-failure.js';
import type { TransportRequest, TransportResponse } from '../transport/transport.js';

/** One attempt of a call, by {@link createAttempt}. */
export type Attempt = ReturnType<typeof createAttempt>;

/**
 * One attempt of a call, through the middleware to the transport. It makes at most one request, and always knows what
 * became of it, whatever the middleware returns.
 *
 * @param attempt The number of the attempt, counted from 1.
 */
export function createAttempt(
  { middleware, transport, redact }: CallSettings,
  { name, path, repeatable }: AnyCallable,
  attempt: number,
) {
  let outcome: Outcome = 'not_sent';
  let loss: { readonly failure: Failure; readonly error: RequestError } | undefined;
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
      const retryable = isRetryable(repeatable, failure);
      // Middleware gets the error that the call would throw, because the transport's own error may contain the key.
      const error = failure.toError({ operation: name, outcome, retryable, attempts: attempt });
      loss = { failure, error };
      throw error;
    }
  }

  return {
    /** The outcome of the request if the attempt ended now. */
    get outcome() {
      return outcome;
    },
    /** Adds the key and makes the request. Rejects with an error for `failureAfter`, or with the signal's reason. */
    async run(request: TransportRequest, key: string): Promise<TransportResponse> {
      if (middleware.length === 0) return send(request, key);
      // Most clients have no middleware and do not load this code.
      const { passThrough } = await import('../observability/middleware-chain.js');
      const description = { operation: name, urlTemplate: path, attempt };
      return passThrough(middleware, request, description, (passed) => send(passed, key));
    },
    /** Interprets the error that the attempt rejected with: of the connection, or of a middleware. */
    failureAfter(thrown: unknown): Failure {
      if (loss && thrown === loss.error) return loss.failure;
      return {
        outcome,
        temporary: false,
        toError(facts) {
          const cause = cleanCopy(thrown, redact);
          const message = `${facts.operation} failed in a middleware (${cause.message}). ${describeOutcome(facts)}`;
          return new MiddlewareError(message, { ...facts, cause });
        },
      };
    },
  };
}

/**
 * Whether a retry may succeed and cannot repeat an effect. An operation that is not idempotent is retried only if the
 * service certainly has not carried it out.
 */
export function isRetryable(
  repeatable: boolean,
  { temporary, outcome }: Pick<Failure, 'temporary' | 'outcome'>,
): boolean {
  return temporary && (repeatable || outcome !== 'unknown');
}
