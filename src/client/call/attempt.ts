import type { AnyOperation } from '../../contract/operation.js';
import { outcomeOf } from '../answer/answer-failure.js';
import type { Configuration } from '../configuration.js';
import type { Outcome, RequestError } from '../errors/request-error.js';
import { passThrough } from '../observability/middleware-chain.js';
import { middlewareFailure } from '../observability/middleware-failure.js';
import { isRetryable } from '../retry-policy.js';
import type { Transport, TransportRequest, TransportResponse } from '../transport.js';
import { connectionFailure } from './connection-failure.js';
import type { Failure } from './failure.js';

/**
 * One attempt of a call: through the middleware to the wire, and back. It makes one request at the most, and knows
 * at any time what has become of it, whatever the middleware makes of that.
 */
export class Attempt {
  readonly #configuration: Configuration;
  readonly #transport: Transport;
  readonly #operation: AnyOperation;
  readonly #number: number;
  #outcome: Outcome = 'not_sent';
  #connectionLoss: { readonly failure: Failure; readonly error: RequestError } | undefined;

  constructor(
    configuration: Configuration,
    transport: Transport,
    operation: AnyOperation,
    /** Counted from 1. */
    number: number,
  ) {
    this.#configuration = configuration;
    this.#transport = transport;
    this.#operation = operation;
    this.#number = number;
  }

  /** What would be true of the request if the attempt ended here. */
  get outcome(): Outcome {
    return this.#outcome;
  }

  /** Rejects with what {@link failureAfter} reads, or with the signal's reason. */
  run(request: TransportRequest): Promise<TransportResponse> {
    const { middleware } = this.#configuration;
    if (middleware.length === 0) return this.#send(request);
    const { name, path } = this.#operation;
    const description = { operation: name, urlTemplate: path, attempt: this.#number };
    return passThrough(middleware, request, description, (passed) => this.#send(passed));
  }

  /** Reads what the attempt rejected with. */
  failureAfter(thrown: unknown): Failure {
    const loss = this.#connectionLoss;
    if (loss && thrown === loss.error) return loss.failure;
    return middlewareFailure(thrown, this.#outcome, this.#configuration.redact);
  }

  async #send(request: TransportRequest): Promise<TransportResponse> {
    this.#outcome = 'unknown';
    try {
      const answer = await this.#transport.exchange(request);
      this.#outcome = outcomeOf(answer.status);
      return answer;
    } catch (thrown) {
      request.signal.throwIfAborted();
      throw this.#loseConnection(thrown);
    }
  }

  /** Middleware is shown the error that the call would throw: the transport's own may hold the key. */
  #loseConnection(thrown: unknown): RequestError {
    const failure = connectionFailure(thrown, this.#configuration.redact);
    this.#outcome = failure.outcome;
    const { name, repeatable } = this.#operation;
    const error = failure.toError({
      operation: name,
      outcome: failure.outcome,
      retryable: isRetryable(repeatable, failure),
      attempts: this.#number,
    });
    this.#connectionLoss = { failure, error };
    return error;
  }
}
