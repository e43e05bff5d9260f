import { isResponse, steersFramework } from '../../foundation/steering.js';
import { ConnectionError } from '../errors/no-response-errors.js';
import { factsOf, RequestError } from '../errors/request-error.js';
import { ApiError, RateLimitError } from '../errors/response-errors.js';
import type { CallLog } from '../observability/watching.js';
import type { PreparedRequest } from '../request/request.js';
import { interpret } from '../response/interpret.js';
import type { Reading } from '../response/reading.js';
import { outcomeOf } from '../response/response-facts.js';
import {
  ForeignResponseError,
  receivedResponse,
  type TransportRequest,
  type TransportResponse,
} from '../transport/transport.js';
import type { Deadline } from './deadline.js';
import type { CallPlan } from './plan.js';
import type { AttemptState, CallProgress } from './progress.js';
import type { PassOn, Step, StepContext } from './step.js';

/** A success: the response, and its interpretation. */
export type CallSuccess<Result> = Reading<Result> & { readonly response: TransportResponse };

/** What the attempts of a call need. */
export interface CallAttemptsOptions<Result> {
  readonly plan: CallPlan<Result>;
  readonly progress: CallProgress<Result>;
  readonly deadline: Deadline;
  readonly log: CallLog | undefined;
  /** What asks before each request, in this order. */
  readonly steps: readonly Step[];
}

/** The attempts of one call: each makes at most one request, and the next one follows while it may help. */
export class CallAttempts<Result> {
  readonly #plan: CallPlan<Result>;
  readonly #progress: CallProgress<Result>;
  readonly #deadline: Deadline;
  readonly #log: CallLog | undefined;
  readonly #steps: readonly Step[];

  constructor({ plan, progress, deadline, log, steps }: CallAttemptsOptions<Result>) {
    this.#plan = plan;
    this.#progress = progress;
    this.#deadline = deadline;
    this.#log = log;
    this.#steps = steps;
  }

  /** Makes attempts until one succeeds. Rejects with the error of the last attempt, or with that of a step. */
  async untilSuccess(prepared: PreparedRequest): Promise<CallSuccess<Result>> {
    const { settings, options } = this.#plan;
    const { apiKey, retries } = settings;
    let mayRenewApiKey = apiKey.isRenewable && (options.retries ?? retries) > 0;
    for (;;) {
      const attempted = await this.#attempt({ ...prepared, signal: this.#deadline.signal });
      if (!(attempted instanceof RequestError)) return attempted;
      this.#slowDownAfter(attempted);
      // The next attempt asks for the API key again, at once and whatever the number of retries.
      if (attempted.status === 401 && mayRenewApiKey && !options.noMoreAttempts?.aborted)
        mayRenewApiKey = false;
      else await this.#waitAfter(attempted);
    }
  }

  /** One attempt: the request through all steps, and the interpretation of its response. Returns the failure that a retry may mend. */
  async #attempt(request: TransportRequest): Promise<CallSuccess<Result> | RequestError> {
    const { settings, options } = this.#plan;
    const { noMoreAttempts } = options;
    const call = this.#progress;
    const deadline = this.#deadline;
    deadline.signal.throwIfAborted();
    const attempt = call.beginAttempt();
    const context: StepContext = { call, attempt, settings, deadline, noMoreAttempts };
    let isOver = false;
    const exchange: PassOn = async (passed) => {
      // A step may pass the request on after it has responded or failed, and so have ended the attempt.
      if (isOver) throw new TypeError('The attempt has ended.');
      return this.#exchange(passed, attempt);
    };
    // The last step is next to the exchange, and the first one outermost.
    let throughSteps = exchange;
    for (const step of this.#steps.toReversed()) {
      const passOn = throughSteps;
      throughSteps = (passed) => step(passed, passOn, context);
    }
    try {
      return await this.#interpret(await deadline.bound(throughSteps(request)));
    } catch (thrown) {
      deadline.signal.throwIfAborted(); // its reason may be an error of a connection, too
      if (thrown instanceof ConnectionError) return thrown;
      throw thrown;
    } finally {
      isOver = true;
    }
  }

  /** Makes the request. From the moment at which it may leave, its outcome is unknown until a response says more. */
  async #exchange(request: TransportRequest, attempt: AttemptState): Promise<TransportResponse> {
    const { transport, redact } = this.#plan.settings;
    request.signal.throwIfAborted();
    attempt.isCounted = true;
    this.#log?.attemptBegins();
    // The error of the step that has the last word, because a transport may wrap or lose what its callback throws.
    let refusal: { readonly error: unknown } | undefined;
    const onSending = () => {
      try {
        request.onSending?.();
      } catch (error) {
        refusal = { error };
        throw error;
      }
      attempt.outcome = 'unknown';
    };
    try {
      // A transport that does not announce sending may send at once.
      if (transport.announcesSending !== true) onSending();
      const response = receivedResponse(await transport.exchange({ ...request, onSending }));
      attempt.outcome = outcomeOf(response.status);
      return response;
    } catch (thrown) {
      request.signal.throwIfAborted(); // the reason of an abort says nothing of the request
      if (refusal) throw refusal.error;
      // A fetch function may throw the response that it got, which is no redirect of a framework.
      if (steersFramework(thrown) && !isResponse(thrown)) throw thrown;
      const { connectionFailure, errorOfForeign } = await import('../response/failures.js');
      if (thrown instanceof ForeignResponseError) throw errorOfForeign(this.#progress, thrown.message);
      const failure = connectionFailure(thrown, attempt.outcome, redact);
      attempt.outcome = failure.outcome;
      // Middleware gets the error that the call would throw, because the transport's own error may contain the key.
      throw failure.toError(factsOf(this.#progress, failure.temporary));
    }
  }

  async #interpret(response: TransportResponse): Promise<CallSuccess<Result> | RequestError> {
    const { settings, whenMissing } = this.#plan;
    const { clock, maxResponseBytes, redact } = settings;
    const context = { whenMissing, now: clock.now(), maxResponseBytes, redact };
    const meaning = await interpret(this.#progress, response, context);
    return meaning instanceof RequestError ? meaning : { ...meaning, response };
  }

  /** Holds back all calls that share the limiter, when the service asks for fewer. */
  #slowDownAfter(error: RequestError): void {
    const { limiter, backoff, maxRetryAfter } = this.#plan.settings;
    if (error instanceof RateLimitError)
      limiter?.pause(Math.min(error.retryAfter ?? backoff.initial, maxRetryAfter));
  }

  /** Waits for the next attempt. Rejects with the error if no retry can help. */
  async #waitAfter(error: RequestError): Promise<void> {
    const { settings, options } = this.#plan;
    const { retries = settings.retries, retryRateLimits = true, noMoreAttempts } = options;
    const mayRetry = error.retryable && this.#progress.attempts <= retries;
    const isLeftToCaller = error instanceof RateLimitError && !retryRateLimits;
    const delay = mayRetry && !isLeftToCaller ? this.#delayAfter(error) : undefined;
    // A wait beyond the deadline would replace the real error by a timeout.
    if (delay === undefined || delay >= this.#deadline.remaining()) throw error;
    this.#log?.attemptFailed(error, delay);
    await this.#deadline.wait(delay, noMoreAttempts);
    if (noMoreAttempts?.aborted) throw error;
  }

  /** How many milliseconds to wait after an attempt. `undefined` if the service asks for a longer wait than `maxRetryAfter`. */
  #delayAfter(error: RequestError): number | undefined {
    const { backoff, maxRetryAfter, random } = this.#plan.settings;
    const { retryAfter = 0 } = error instanceof ApiError ? error : {};
    if (retryAfter > maxRetryAfter) return undefined;
    const whole = Math.min(backoff.max, backoff.initial * 2 ** (error.attempts - 1));
    const jitter = (random() * whole) / 2;
    return Math.max(whole - jitter, retryAfter + jitter);
  }
}
