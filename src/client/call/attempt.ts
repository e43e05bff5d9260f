import { outcomeOf } from '../answer/answer-failure.js';
import { connectionFailure } from '../answer/connection-failure.js';
import { cleanCopy, describeOutcome, type Failure } from '../errors/failure.js';
import type { Outcome, RequestError } from '../errors/request-error.js';
import { MiddlewareError } from '../errors/unanswered-errors.js';
import type { AnyCallable } from '../request/request.js';
import type { TransportRequest, TransportResponse } from '../transport/transport.js';
import { isRetryable } from './retry-policy.js';
import type { CallSettings } from './settings.js';

/**
 * One attempt of a call, through the middleware to the transport. It makes at most one request, and always knows what
 * became of it, whatever the middleware returns.
 */
export class Attempt {
  /** The outcome of the request if the attempt ended now. */
  outcome: Outcome = 'not_sent';
  readonly #settings: CallSettings;
  readonly #operation: AnyCallable;
  readonly #number: number;
  #connectionLoss: { readonly failure: Failure; readonly error: RequestError } | undefined;

  /** @param number Counted from 1. */
  constructor(settings: CallSettings, operation: AnyCallable, number: number) {
    this.#settings = settings;
    this.#operation = operation;
    this.#number = number;
  }

  /**
   * Adds the key and makes the request. Rejects with an error for {@link failureAfter}, or with the signal's reason.
   */
  async run(request: TransportRequest, key: string): Promise<TransportResponse> {
    const { middleware } = this.#settings;
    if (middleware.length === 0) return this.#send(request, key);
    // Most clients have no middleware and do not load this code.
    const { passThrough } = await import('../observability/middleware-chain.js');
    const { name, path } = this.#operation;
    const description = { operation: name, urlTemplate: path, attempt: this.#number };
    return passThrough(middleware, request, description, (passed) => this.#send(passed, key));
  }

  /** Interprets the error that the attempt rejected with: of the connection, or of a middleware. */
  failureAfter(thrown: unknown): Failure {
    const loss = this.#connectionLoss;
    if (loss && thrown === loss.error) return loss.failure;
    return {
      outcome: this.outcome,
      temporary: false,
      toError: (facts) => {
        const cause = cleanCopy(thrown, this.#settings.redact);
        const message = `${facts.operation} failed in a middleware (${cause.message}). ${describeOutcome(facts)}`;
        return new MiddlewareError(message, { ...facts, cause });
      },
    };
  }

  async #send(request: TransportRequest, key: string): Promise<TransportResponse> {
    const { transport } = this.#settings;
    const onSending = () => {
      this.outcome = 'unknown';
    };
    // A transport that does not announce sending may send at once.
    if (transport.announcesSending !== true) onSending();
    // New headers for each attempt, because a custom fetch may change them.
    const headers = { ...request.headers, authorization: `Bearer ${key}` };
    try {
      const answer = await transport.exchange({ ...request, headers, onSending });
      this.outcome = outcomeOf(answer.status);
      return answer;
    } catch (thrown) {
      request.signal.throwIfAborted();
      throw this.#loseConnection(thrown);
    }
  }

  /** Middleware gets the error that the call would throw, because the transport's own error may contain the key. */
  #loseConnection(thrown: unknown): RequestError {
    const failure = connectionFailure(thrown, this.outcome, this.#settings.redact);
    const { outcome } = failure;
    const { name, repeatable } = this.#operation;
    const retryable = isRetryable(repeatable, failure);
    const error = failure.toError({ operation: name, outcome, retryable, attempts: this.#number });
    this.outcome = outcome;
    this.#connectionLoss = { failure, error };
    return error;
  }
}
