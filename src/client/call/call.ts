import type { OperationRequest } from '../../contract/operation.js';
import { MessagingAutomationError } from '../../foundation/base-error.js';
import type { FieldProblem } from '../../foundation/field-problem.js';
import { notify } from '../../foundation/notify.js';
import { requestIdOf } from '../answer/error-body.js';
import { interpret, unusableAnswer, type WithResponse } from '../answer/interpret.js';
import type { Reading } from '../answer/reading.js';
import {
  type CallFacts,
  cleanCopy,
  describeOutcome,
  type Failure,
  redactProblems,
} from '../errors/failure.js';
import { type Outcome, RequestError } from '../errors/request-error.js';
import { ApiKeyUnavailableError, InvalidInputError, TimeoutError } from '../errors/unanswered-errors.js';
import { subscribedChannel, type TracingChannel } from '../observability/tracing.js';
import type { CallLog, WatchedCall } from '../observability/watching.js';
import type { Limiter } from '../request/limiter.js';
import {
  type CallableOperation,
  checkOptions,
  type PreparedRequest,
  prepareRequest,
} from '../request/request.js';
import type { CallOptions } from '../request/request-options.js';
import type { TransportResponse } from '../transport/transport.js';
import { type Attempt, createAttempt } from './attempt.js';
import { type Deadline, startDeadline } from './deadline.js';
import { isRetryable, leastCertain, retryDelay } from './retry-policy.js';
import type { CallSettings } from './settings.js';

/** A success: the response, and its interpretation. */
type Success<Result> = Reading<Result> & { readonly answer: TransportResponse };

/** A started call, with its deadline and its request. */
interface BegunCall {
  readonly deadline: Deadline;
  readonly prepared: PreparedRequest;
}

/**
 * One call, from its request to a result or an error: it prepares the request, makes attempts until one succeeds or no
 * retry can help, and checks the result. One deadline bounds all of it.
 */
export class Call<Request extends OperationRequest, Result> implements WatchedCall {
  readonly operation: CallableOperation<Request, Result>;
  readonly #settings: CallSettings;
  readonly #options: CallOptions;
  readonly #whenMissing: { readonly value: Result } | undefined;
  #log: CallLog | undefined;
  /** How many attempts it has made so far. */
  attempts = 0;
  #latest: Attempt | undefined;
  /** What became of the attempts before the latest. */
  #earlier: Outcome = 'not_sent';
  #hasRenewedKey = false;

  /** @param whenMissing What the call returns for a missing record. Without it, a missing record is an error. */
  constructor(
    settings: CallSettings,
    operation: CallableOperation<Request, Result>,
    options: CallOptions,
    whenMissing?: { readonly value: Result },
  ) {
    this.#settings = settings;
    this.operation = operation;
    this.#options = options;
    this.#whenMissing = whenMissing;
  }

  get outcome(): Outcome {
    return this.#latest ? leastCertain(this.#earlier, this.#latest.outcome) : 'not_sent';
  }

  /** Makes the call. It reads the request at once, so the caller may change it afterwards. */
  make(request: Request): Promise<WithResponse<Result>> {
    const begun = this.#begin(request);
    const channel = subscribedChannel();
    if (!this.#settings.logger && !channel) return this.#finish(begun);
    return this.#finishWatched(begun, channel);
  }

  async #begin(request: Request): Promise<BegunCall> {
    const { clock, redact, workspace } = this.#settings;
    const { signal, timeout = this.#settings.timeout } = this.#options;
    const { name } = this.operation;
    checkOptions(this.operation, this.#options, redact);
    signal?.throwIfAborted();
    const deadline = startDeadline(clock, timeout, signal, () => this.#timeoutError(timeout));
    try {
      // The workspace checks the request, and translates its names into those of the service.
      const wanted = workspace ? await deadline.bound(workspace.prepare(name, request, redact)) : request;
      return { deadline, prepared: prepareRequest(this.#settings, this.operation, wanted, this.#options) };
    } catch (thrown) {
      deadline.dispose();
      if (thrown instanceof MessagingAutomationError || deadline.signal.aborted) throw thrown;
      const message =
        'cannot be read or written as JSON: a field or its check throws an error, or something refers to itself';
      throw new InvalidInputError(name, [{ field: '', message }], cleanCopy(thrown, redact));
    }
  }

  async #finish(begun: Promise<BegunCall>): Promise<WithResponse<Result>> {
    const { deadline, prepared } = await begun;
    try {
      return await this.#give(await this.#succeed(prepared, deadline), deadline);
    } finally {
      deadline.dispose();
    }
  }

  /** Finishes the call with logging and tracing. Calls without either do not load this code. */
  async #finishWatched(
    begun: Promise<BegunCall>,
    channel: TracingChannel | undefined,
  ): Promise<WithResponse<Result>> {
    const { logger, clock, baseUrl } = this.#settings;
    const start = clock.now();
    begun.catch(() => {}); // it may fail while this loads, and must not count as unhandled
    const watching = await import('../observability/watching.js').catch(() => undefined);
    if (watching === undefined) return this.#finish(begun); // an observer that fails to load must not affect the call
    const log = logger && watching.logOf(logger, clock, this, start);
    this.#log = log;
    const work = () => this.#finish(begun);
    const logged = log ? () => log.follow(work, this.#options.signal) : work;
    return channel ? watching.trace(channel, this, baseUrl, logged) : logged();
  }

  /** Makes attempts until one succeeds. Rejects with the error of the last attempt. */
  async #succeed(prepared: PreparedRequest, deadline: Deadline): Promise<Success<Result>> {
    const { limiter, maxRetryAfter, backoff } = this.#settings;
    const asked = this.#askForKey(deadline);
    let key = typeof asked === 'string' ? asked : await asked;
    for (;;) {
      const attempted = await this.#attempt(prepared, key, deadline);
      if ('answer' in attempted) return attempted;
      const { status, retryAfter = backoff.initial } = attempted;
      if (status === 429) limiter?.pause(Math.min(retryAfter, maxRetryAfter));
      if (status === 401 && this.#mayRenewKey()) key = await this.#askForKey(deadline);
      else await this.#waitAfter(attempted, deadline);
    }
  }

  /** One attempt, after the limiter admits it, and the interpretation of its response. */
  async #attempt(
    prepared: PreparedRequest,
    key: string,
    deadline: Deadline,
  ): Promise<Success<Result> | Failure> {
    const { limiter, clock, maxResponseBytes, redact } = this.#settings;
    const release = limiter && (await this.#admission(limiter, deadline));
    try {
      deadline.signal.throwIfAborted();
      this.#earlier = this.outcome;
      this.attempts += 1;
      this.#log?.attemptBegins();
      const attempt = createAttempt(this.#settings, this.operation, this.attempts);
      this.#latest = attempt;
      const sent = deadline.bound(attempt.run({ ...prepared, signal: deadline.signal }, key));
      const answer = await sent.catch((thrown: unknown) => {
        deadline.signal.throwIfAborted();
        return attempt.failureAfter(thrown);
      });
      if ('toError' in answer) return answer;
      const meaning = interpret(this.operation, answer, {
        lost: this.#earlier === 'unknown',
        whenMissing: this.#whenMissing,
        now: clock.now(),
        maxResponseBytes,
        redact,
      });
      // If a middleware answered instead of the service, nothing was sent, whatever the response says.
      return 'toError' in meaning ? { ...meaning, outcome: attempt.outcome } : { ...meaning, answer };
    } finally {
      release?.();
    }
  }

  /** Waits for the limiter, until the deadline passes, the caller aborts, or no more attempts are wanted. */
  async #admission(limiter: Limiter, deadline: Deadline): Promise<() => void> {
    const { noMoreAttempts } = this.#options;
    if (noMoreAttempts === undefined) return limiter.acquire(deadline.signal, deadline.remaining());
    const either = AbortSignal.any([deadline.signal, noMoreAttempts]);
    return limiter.acquire(either, deadline.remaining()).catch((reason: unknown) => {
      deadline.signal.throwIfAborted();
      if (!noMoreAttempts.aborted) throw reason;
      const facts = this.#facts(true);
      const message = `${facts.operation} was stopped before its request. ${describeOutcome(facts)}`;
      throw new RequestError(message, facts);
    });
  }

  /** Waits for the next attempt. Rejects with the failure's error if no retry can help. */
  async #waitAfter(failure: Failure, deadline: Deadline): Promise<void> {
    const { noMoreAttempts } = this.#options;
    const facts = this.#facts(failure.temporary, failure.outcome);
    const delay = this.#mayRetry(failure) ? retryDelay(this.#settings, this.attempts, failure) : undefined;
    // A wait beyond the deadline would replace the real error by a timeout.
    if (delay === undefined || delay >= deadline.remaining()) throw failure.toError(facts);
    this.#log?.attemptFailed(failure.toError(facts), delay);
    await deadline.wait(delay, noMoreAttempts);
    if (noMoreAttempts?.aborted) throw failure.toError(facts);
  }

  #mayRetry(failure: Failure): boolean {
    const { retries = this.#settings.retries, retryRateLimits = true } = this.#options;
    if (this.attempts > retries || (failure.status === 429 && !retryRateLimits)) return false;
    return isRetryable(this.operation.repeatable, failure);
  }

  #askForKey(deadline: Deadline): string | Promise<string> {
    const key = this.#settings.apiKey.current();
    if (typeof key === 'string') return key;
    return deadline.bound(key).catch((thrown) => {
      deadline.signal.throwIfAborted();
      throw new ApiKeyUnavailableError(this.#facts(true), cleanCopy(thrown, this.#settings.redact));
    });
  }

  /** Whether to ask for another key after a 401: once, if the source may have another. */
  #mayRenewKey(): boolean {
    const { retries = this.#settings.retries } = this.#options;
    if (!this.#settings.apiKey.isRenewable || this.#hasRenewedKey || retries === 0) return false;
    this.#hasRenewedKey = true;
    return true;
  }

  /** The result, after any drift was reported. */
  async #give(success: Success<Result>, deadline: Deadline): Promise<WithResponse<Result>> {
    const { validation, onDrift, redact } = this.#settings;
    const { value, answer } = success;
    const { status, headers } = answer;
    const found = validation === 'off' ? [] : await this.#problemsWith(success, deadline);
    if (found.length > 0 && validation === 'strict')
      throw unusableAnswer(answer, found, redact).toError(this.#facts(false));
    if (found.length > 0) {
      const problems = redactProblems(found, redact);
      notify(() => onDrift({ operation: this.operation.name, status, problems }));
    }
    const requestId = requestIdOf(answer, redact);
    return { data: value, response: { status, headers }, requestId, attempts: this.attempts };
  }

  /** The differences from the contract, or else from the workspace. */
  #problemsWith(
    { value, problems }: Reading<Result>,
    deadline: Deadline,
  ): readonly FieldProblem[] | Promise<readonly FieldProblem[]> {
    const { workspace, validation } = this.#settings;
    if (!workspace || problems.length > 0) return problems;
    return deadline.bound(workspace.inspect(this.operation.name, value)).catch((thrown) => {
      // The request was carried out, so only strict validation or an abort discards the result.
      if (validation === 'strict' || this.#options.signal?.aborted) throw thrown;
      return [{ field: '', message: 'could not be checked against the workspace before the deadline' }];
    });
  }

  /** What an error says of the call, after a failure with this outcome. */
  #facts(temporary: boolean, outcome = this.outcome): CallFacts {
    return {
      operation: this.operation.name,
      outcome: this.outcome,
      retryable: isRetryable(this.operation.repeatable, { temporary, outcome }),
      attempts: this.attempts,
    };
  }

  #timeoutError(timeout: number): TimeoutError {
    const facts = this.#facts(true);
    return new TimeoutError(
      `${facts.operation} took longer than its ${timeout} ms. ${describeOutcome(facts)} ` +
        'Give it a longer timeout if the service is known to be slow.',
      facts,
    );
  }
}
