import type { AnyOperation, OperationRequest } from '../../contract/operation.js';
import { answerFailure } from '../answer/answer-failure.js';
import { requestIdOf } from '../answer/request-id.js';
import type { Configuration } from '../configuration.js';
import { TimeoutError } from '../errors/connection-errors.js';
import type { Outcome } from '../errors/request-error.js';
import { CallLog } from '../observability/logging.js';
import { subscribedChannel, trace } from '../observability/tracing.js';
import type { WatchedCall } from '../observability/watched-call.js';
import { type FailedAttempt, isRetryable, leastCertain, retryDelay } from '../retry-policy.js';
import type { Transport, TransportResponse } from '../transport.js';
import { Attempt } from './attempt.js';
import type { WithResponse } from './call-promise.js';
import { Deadline } from './deadline.js';
import { type CallFacts, describeOutcome, type Failure } from './failure.js';
import { type PreparedRequest, prepareRequest } from './request.js';
import type { RequestOptions } from './request-options.js';

/** How a call understands what it is answered. */
export interface Understanding<Data> {
  /** Whether this answer is a success. `lost` says that an earlier attempt may have been carried out. */
  accepts(answer: TransportResponse, lost: boolean): boolean;
  /** @throws {UnusableResponseError} where there is nothing in the answer to give. */
  read(answer: TransportResponse, facts: CallFacts): Data | Promise<Data>;
}

/** One call on its way: its attempts, the waits between them, and what has become of it so far. */
export class Call<Data> implements WatchedCall {
  readonly operation: AnyOperation;
  readonly #configuration: Configuration;
  readonly #transport: Transport;
  readonly #understanding: Understanding<Data>;
  readonly #log: CallLog | undefined;
  #attempts = 0;
  #latest: Attempt | undefined;
  /** What became of the attempts before the latest. */
  #earlier: Outcome = 'not_sent';

  constructor(
    configuration: Configuration,
    transport: Transport,
    operation: AnyOperation,
    understanding: Understanding<Data>,
  ) {
    this.#configuration = configuration;
    this.#transport = transport;
    this.operation = operation;
    this.#understanding = understanding;
    this.#log = configuration.logger && new CallLog(configuration.logger, configuration.clock, this);
  }

  get attempts(): number {
    return this.#attempts;
  }

  get outcome(): Outcome {
    return this.#latest ? leastCertain(this.#earlier, this.#latest.outcome) : 'not_sent';
  }

  run(request: OperationRequest, options: RequestOptions): Promise<WithResponse<Data>> {
    const log = this.#log;
    const channel = subscribedChannel();
    if (!log && !channel) return this.#run(request, options);
    const work = () => this.#run(request, options);
    const logged = log ? () => log.follow(work, options.signal) : work;
    return channel ? trace(channel, this, this.#configuration.baseUrl, logged) : logged();
  }

  async #run(request: OperationRequest, options: RequestOptions): Promise<WithResponse<Data>> {
    const { workspace, redact } = this.#configuration;
    const wanted = workspace ? await workspace.prepare(this.operation.name, request, redact) : request;
    const prepared = prepareRequest(this.#configuration, this.operation, wanted, options);
    options.signal?.throwIfAborted();
    const timeout = options.timeout ?? this.#configuration.timeout;
    const expired = () => this.#timeoutError(timeout);
    const deadline = new Deadline(this.#configuration.clock, timeout, options.signal, expired);
    try {
      return await this.#persist(prepared, deadline, options.retries ?? this.#configuration.retries);
    } finally {
      deadline.dispose();
    }
  }

  async #persist(
    prepared: PreparedRequest,
    deadline: Deadline,
    retries: number,
  ): Promise<WithResponse<Data>> {
    for (;;) {
      const attempt = await this.#attempt(prepared, deadline);
      if ('data' in attempt) return attempt;
      const facts = this.#factsAfter(attempt);
      const delay =
        facts.retryable && this.#attempts <= retries
          ? retryDelay(this.#configuration, this.#attempts, attempt)
          : undefined;
      // A wait that outlasts the deadline would only turn a telling error into a timeout.
      if (delay === undefined || delay >= deadline.remaining) throw attempt.toError(facts);
      this.#log?.attemptFailed(attempt.toError(facts), delay);
      await deadline.wait(delay);
    }
  }

  async #attempt(prepared: PreparedRequest, deadline: Deadline): Promise<WithResponse<Data> | Failure> {
    const { clock, redact } = this.#configuration;
    const attempt = this.#beginAttempt();
    let answer: TransportResponse;
    try {
      answer = await deadline.bound(attempt.run({ ...prepared, signal: deadline.signal }));
    } catch (thrown) {
      deadline.signal.throwIfAborted();
      return attempt.failureAfter(thrown);
    }
    if (!this.#understanding.accepts(answer, this.#earlier === 'unknown'))
      return { ...answerFailure(this.operation, answer, clock, redact), outcome: attempt.outcome };
    // What cannot be read was carried out all the same, and is not to be tried again here.
    const facts = this.#factsAfter({ outcome: attempt.outcome, temporary: false });
    return {
      data: await this.#understanding.read(answer, facts),
      response: { status: answer.status, headers: answer.headers },
      requestId: requestIdOf(answer, redact),
      attempts: this.#attempts,
    };
  }

  #beginAttempt(): Attempt {
    this.#earlier = this.outcome;
    this.#attempts += 1;
    this.#log?.attemptBegins();
    this.#latest = new Attempt(this.#configuration, this.#transport, this.operation, this.#attempts);
    return this.#latest;
  }

  #factsAfter(failed: FailedAttempt): CallFacts {
    return {
      operation: this.operation.name,
      outcome: this.outcome,
      retryable: isRetryable(this.operation.repeatable, failed),
      attempts: this.#attempts,
    };
  }

  #timeoutError(timeout: number): TimeoutError {
    const facts = this.#factsAfter({ outcome: this.outcome, temporary: true });
    return new TimeoutError(
      `${facts.operation} took longer than its ${timeout} ms. ${describeOutcome(facts)} ` +
        'Give it a longer timeout if the service is known to be slow.',
      facts,
    );
  }
}
