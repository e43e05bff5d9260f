import type { OperationRequest } from '../../contract/operation.js';
import { MessagingAutomationError } from '../../foundation/base-error.js';
import { notify } from '../../foundation/listeners.js';
import type { FieldProblem } from '../../foundation/options.js';
import type { CallSettings } from '../configuration.js';
import { ApiKeyUnavailableError, InvalidInputError, TimeoutError } from '../errors/no-response-errors.js';
import {
  cleanCopy,
  describeOutcome,
  factsOf,
  type Outcome,
  RequestError,
  redactProblems,
} from '../errors/request-error.js';
import { ApiError, RateLimitError } from '../errors/response-errors.js';
import { subscribedChannel, type TracingChannel } from '../observability/tracing.js';
import type { CallLog } from '../observability/watching.js';
import type { Limiter } from '../request/limiter.js';
import {
  type CallableOperation,
  type CallState,
  type PreparedRequest,
  prepareRequest,
  refuse,
} from '../request/request.js';
import { type CallOptions, problemsWithOptions } from '../request/request-options.js';
import { errorOfUnusable, interpret, type WithResponse } from '../response/interpret.js';
import type { Reading } from '../response/reading.js';
import { requestIdOf } from '../response/response-failure.js';
import type { TransportResponse } from '../transport/transport.js';
import { type Attempt, createAttempt } from './attempt.js';
import { type Deadline, startDeadline } from './deadline.js';

/** A success: the response, and its interpretation. */
type Success<Result> = Reading<Result> & { readonly response: TransportResponse };

/** A call whose input is valid, and which has sent nothing yet. */
export interface PreparedCall {
  /** Those of the client, with a redactor that knows the phones of this call. */
  readonly settings: CallSettings;
  readonly call: CallState;
  /** The JSON of the request. */
  readonly body: string | undefined;
  readonly deadline: Deadline;
}

/** Decides whether a prepared call makes its requests, and learns what became of them. */
export type Around<Result> = (
  call: PreparedCall,
  make: () => Promise<WithResponse<Result>>,
) => Promise<WithResponse<Result>>;

/**
 * One call, from its request to a result or an error: it prepares the request, makes attempts until one succeeds or no
 * retry can help, and checks the result. One deadline bounds all of it.
 *
 * @param whenMissing What the call returns for a missing record. Without it, a missing record is an error.
 * @param around What happens before the first request and after the last, within the deadline. Default: nothing.
 */
export function createCall<Result>(
  settings: CallSettings,
  operation: CallableOperation<OperationRequest, Result>,
  options: CallOptions,
  whenMissing?: { readonly value: Result },
  around?: Around<Result>,
) {
  const { clock, limiter, onDrift, redact, validation, workspace } = settings;
  const { signal, noMoreAttempts, timeout = settings.timeout, retries = settings.retries } = options;
  let log: CallLog | undefined;
  let attempts = 0;
  let latest: Attempt | undefined;
  /** What became of the attempts before the latest. */
  let earlier: Outcome = 'not_sent';

  const call = {
    operation,
    get attempts() {
      return attempts;
    },
    get outcome(): Outcome {
      return latest ? leastCertain(earlier, latest.outcome) : 'not_sent';
    },
    /** Makes the call. It reads the request at once, so the caller may change it afterwards. */
    make(request: OperationRequest): Promise<WithResponse<Result>> {
      const begun = begin(request);
      const channel = subscribedChannel();
      if (!settings.logger && !channel) return finish(begun);
      return finishWatched(begun, channel);
    },
  };

  async function begin(request: OperationRequest) {
    const { name } = operation;
    refuse(operation, problemsWithOptions(options), redact);
    signal?.throwIfAborted();
    const deadline = startDeadline(clock, timeout, signal, timeoutError);
    try {
      // The workspace checks the request, and translates its names into those of the service.
      const wanted = workspace ? await deadline.bound(workspace.prepare(name, request, redact)) : request;
      return { deadline, prepared: prepareRequest(settings, operation, wanted, options) };
    } catch (thrown) {
      deadline.dispose();
      if (thrown instanceof MessagingAutomationError || deadline.signal.aborted) throw thrown;
      const message =
        'cannot be read or written as JSON: a field or its check throws an error, or something refers to itself';
      throw new InvalidInputError(name, [{ field: '', message }], cleanCopy(thrown, redact));
    }
  }

  async function finish(begun: ReturnType<typeof begin>): Promise<WithResponse<Result>> {
    const { deadline, prepared } = await begun;
    const make = async () => give(await succeed(prepared, deadline), deadline);
    try {
      if (around === undefined) return await make();
      return await around({ settings, call, body: prepared.body, deadline }, make);
    } finally {
      deadline.dispose();
    }
  }

  /** Finishes the call with logging and tracing. Calls without either do not load this code. */
  async function finishWatched(
    begun: ReturnType<typeof begin>,
    channel: TracingChannel | undefined,
  ): Promise<WithResponse<Result>> {
    const { logger, baseUrl } = settings;
    const start = clock.now();
    begun.catch(() => {}); // it may fail while this loads, and must not count as unhandled
    const watching = await import('../observability/watching.js').catch(() => undefined);
    if (watching === undefined) return finish(begun); // an observer that fails to load must not affect the call
    const followed = watching.logOf(logger, clock, call, start);
    log = followed;
    const work = () => followed.follow(() => finish(begun), signal);
    return channel ? watching.trace(channel, call, baseUrl, work) : work();
  }

  /** Makes attempts until one succeeds. Rejects with the error of the last attempt. Asks for another key once, after a 401. */
  async function succeed(prepared: PreparedRequest, deadline: Deadline): Promise<Success<Result>> {
    const { maxRetryAfter, backoff } = settings;
    let key = await askForKey(deadline);
    let mayRenewKey = settings.apiKey.isRenewable && retries > 0;
    for (;;) {
      const attempted = await makeAttempt(prepared, key, deadline);
      if (!(attempted instanceof RequestError)) return attempted;
      if (attempted instanceof RateLimitError)
        limiter?.pause(Math.min(attempted.retryAfter ?? backoff.initial, maxRetryAfter));
      if (attempted.status === 401 && mayRenewKey) {
        mayRenewKey = false;
        key = await askForKey(deadline);
      } else await waitAfter(attempted, deadline);
    }
  }

  /** One attempt, after the limiter admits it, and the interpretation of its response. */
  async function makeAttempt(
    prepared: PreparedRequest,
    key: string,
    deadline: Deadline,
  ): Promise<Success<Result> | RequestError> {
    const release = limiter && (await admission(limiter, deadline));
    try {
      deadline.signal.throwIfAborted();
      earlier = call.outcome;
      attempts += 1;
      log?.attemptBegins();
      const attempt = createAttempt(settings, call);
      latest = attempt;
      const response = await deadline.bound(attempt.run({ ...prepared, signal: deadline.signal }, key));
      if (response instanceof RequestError) return response;
      const meaning = interpret(call, response, { ...settings, whenMissing, now: clock.now() });
      return meaning instanceof RequestError ? meaning : { ...meaning, response };
    } finally {
      release?.();
    }
  }

  /** Waits for the limiter, until the deadline passes, the caller aborts, or no more attempts are wanted. */
  async function admission(limiter: Limiter, deadline: Deadline): Promise<() => void> {
    if (noMoreAttempts === undefined) return limiter.acquire(deadline.signal, deadline.remaining());
    const either = AbortSignal.any([deadline.signal, noMoreAttempts]);
    return limiter.acquire(either, deadline.remaining()).catch((reason: unknown) => {
      deadline.signal.throwIfAborted();
      if (!noMoreAttempts.aborted) throw reason;
      const facts = factsOf(call, true);
      const message = `${facts.operation} was stopped before its request. ${describeOutcome(facts)}`;
      throw new RequestError(message, facts);
    });
  }

  /** Waits for the next attempt. Rejects with the error if no retry can help. */
  async function waitAfter(error: RequestError, deadline: Deadline): Promise<void> {
    const { retryRateLimits = true } = options;
    const mayRetry = error.retryable && attempts <= retries;
    const isLeftToCaller = error instanceof RateLimitError && !retryRateLimits;
    const delay = mayRetry && !isLeftToCaller ? retryDelay(settings, error) : undefined;
    // A wait beyond the deadline would replace the real error by a timeout.
    if (delay === undefined || delay >= deadline.remaining()) throw error;
    log?.attemptFailed(error, delay);
    await deadline.wait(delay, noMoreAttempts);
    if (noMoreAttempts?.aborted) throw error;
  }

  function askForKey(deadline: Deadline): Promise<string> {
    return deadline.bound(settings.apiKey.current()).catch((thrown) => {
      deadline.signal.throwIfAborted();
      throw new ApiKeyUnavailableError(factsOf(call, true), cleanCopy(thrown, redact));
    });
  }

  /** The result, after any drift was reported. */
  async function give(success: Success<Result>, deadline: Deadline): Promise<WithResponse<Result>> {
    const { value, response } = success;
    const { status, headers } = response;
    const found = validation === 'off' ? [] : await problemsWith(success, deadline);
    if (found.length > 0 && validation === 'strict') throw errorOfUnusable(call, response, found, redact);
    if (found.length > 0) {
      const problems = redactProblems(found, redact);
      notify(() => onDrift({ operation: operation.name, status, problems }));
    }
    const requestId = requestIdOf(response, redact);
    return { data: value, response: { status, headers }, requestId, attempts };
  }

  /** The differences from the contract, or else from the workspace. */
  function problemsWith(
    { value, problems }: Reading<Result>,
    deadline: Deadline,
  ): readonly FieldProblem[] | Promise<readonly FieldProblem[]> {
    if (!workspace || problems.length > 0) return problems;
    return deadline.bound(workspace.inspect(operation.name, value)).catch((thrown) => {
      // The request was carried out, so only strict validation or an abort discards the result.
      if (validation === 'strict' || signal?.aborted) throw thrown;
      return [{ field: '', message: 'could not be checked against the workspace before the deadline' }];
    });
  }

  function timeoutError(): TimeoutError {
    const facts = factsOf(call, true);
    return new TimeoutError(
      `${facts.operation} timed out after ${timeout} ms. ${describeOutcome(facts)} ` +
        'Give it a longer timeout if the service is known to be slow.',
      facts,
    );
  }

  return call;
}

/** How many milliseconds to wait after an attempt. `undefined` if the service asks for a longer wait than `maxRetryAfter`. */
function retryDelay(settings: CallSettings, error: RequestError): number | undefined {
  const { backoff, maxRetryAfter, random } = settings;
  const { retryAfter = 0 } = error instanceof ApiError ? error : {};
  if (retryAfter > maxRetryAfter) return undefined;
  const whole = Math.min(backoff.max, backoff.initial * 2 ** (error.attempts - 1));
  const chance = (random() * whole) / 2;
  return Math.max(whole - chance, retryAfter + chance);
}

const certainty: readonly Outcome[] = ['not_sent', 'rejected', 'unknown'];

/** The less certain of two outcomes, for a call with several attempts. */
function leastCertain(one: Outcome, other: Outcome): Outcome {
  return certainty.indexOf(one) > certainty.indexOf(other) ? one : other;
}
