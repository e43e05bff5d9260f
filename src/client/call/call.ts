import type { OperationRequest } from '../../contract/operation.js';
import { MessagingAutomationError } from '../../foundation/base-error.js';
import { isObject } from '../../foundation/is-object.js';
import { notify } from '../../foundation/listeners.js';
import type { FieldProblem } from '../../foundation/options.js';
import { steersFramework } from '../../foundation/steering.js';
import { InvalidInputError, NotConfiguredError, TimeoutError } from '../errors/no-response-errors.js';
import {
  cleanCopy,
  describeOutcome,
  factsOf,
  RequestError,
  redactProblems,
} from '../errors/request-error.js';
import { subscribedChannel, type TracingChannel } from '../observability/tracing.js';
import type { CallLog } from '../observability/watching.js';
import { type PreparedRequest, prepareRequest, refuse } from '../request/request.js';
import { optionsWithin, problemsWithOptions } from '../request/request-options.js';
import type { WithResponse } from '../response/interpret.js';
import type { Reading } from '../response/reading.js';
import { requestIdOf } from '../response/response-facts.js';
import { CallAttempts, type CallSuccess } from './attempts.js';
import { Deadline } from './deadline.js';
import type { CallPlan } from './plan.js';
import { CallProgress } from './progress.js';
import type { Step } from './step.js';
import { stepsOf } from './steps.js';

/**
 * One call, from its request to a result or an error. One deadline bounds all of it, and one boundary gives every failure its outcome:
 *
 * 1. `#prepare` checks the options and the request.
 * 2. `#finish` is the boundary around everything after it.
 * 3. `#makeRequests` lets {@link CallAttempts} make attempts until one succeeds. An operation may stand `around` them, as one with an
 *    idempotency key does.
 * 4. An attempt sends its request through the steps of `steps.ts`, then to the transport, and interprets the response.
 * 5. `#result` compares the success with the contract.
 */
export class Call<Result> {
  readonly progress: CallProgress<Result>;
  readonly #plan: CallPlan<Result>;
  #log: CallLog | undefined;

  constructor(plan: CallPlan<Result>) {
    this.#plan = plan;
    this.progress = new CallProgress(plan.operation);
  }

  /** Makes the call. It reads the request at once, so the caller may change it afterwards. */
  make(request: OperationRequest): Promise<WithResponse<Result>> {
    const preparing = this.#prepare(request);
    const channel = subscribedChannel();
    if (!this.#plan.settings.logger && !channel) return this.#finish(preparing);
    return this.#finishWatched(preparing, channel);
  }

  /** Checks the options and the request, and starts the deadline. Nothing was sent if it rejects. */
  async #prepare(request: OperationRequest): Promise<Prepared> {
    const { settings, operation, options, given, ownOptions } = this.#plan;
    const { clock, missing, redact, workspace } = settings;
    if (missing !== undefined) throw new NotConfiguredError(operation.name, missing);
    if (typeof request.body === 'string')
      refuse(operation, [{ field: '', message: 'must be an object, not a string' }], redact);
    refuse(operation, problemsWithOptions(given, ownOptions), redact);
    const { signal, timeout = settings.timeout } = options;
    signal?.throwIfAborted();
    const deadline = new Deadline({ clock, timeout, signal, expired: () => this.#timeoutError(timeout) });
    try {
      if (operation.request.body !== undefined) refuse(operation, optionsWithin(request.body), redact);
      // The workspace checks the request, and translates its names into those of the service.
      const wanted = workspace
        ? await deadline.bound(workspace.prepare(operation.name, copyOf(request), redact))
        : request;
      return { deadline, request: prepareRequest(settings, operation, wanted, options) };
    } catch (thrown) {
      deadline.dispose();
      if (thrown instanceof MessagingAutomationError || deadline.signal.aborted) throw thrown;
      if (steersFramework(thrown)) throw thrown;
      const message =
        'cannot be read or written as JSON: a field or its check throws an error, or something refers to itself';
      throw new InvalidInputError(operation.name, [{ field: '', message }], cleanCopy(thrown, redact));
    }
  }

  /** The boundary: whatever fails from here on, in the client or in what its options gave it, the error knows the outcome. */
  async #finish(preparing: Promise<Prepared>): Promise<WithResponse<Result>> {
    const { deadline, request } = await preparing;
    try {
      return await this.#makeRequests(request, deadline);
    } catch (thrown) {
      const isAborted = deadline.signal.aborted;
      deadline.abandon(thrown); // which aborts the signal, too
      const isEnd = isAborted && thrown === deadline.signal.reason;
      const isWhole = isEnd || thrown instanceof RequestError || steersFramework(thrown);
      throw isWhole ? thrown : this.#unexpectedError(thrown);
    } finally {
      deadline.dispose();
    }
  }

  /** Finishes the call with logging and tracing. Calls without either do not load this code. */
  async #finishWatched(
    preparing: Promise<Prepared>,
    channel: TracingChannel | undefined,
  ): Promise<WithResponse<Result>> {
    const { settings, options } = this.#plan;
    const { logger, clock, baseUrl } = settings;
    preparing.catch(() => {}); // it may fail while this loads, and must not count as unhandled
    const watching = await import('../observability/watching.js').catch(() => undefined);
    if (watching === undefined) return this.#finish(preparing); // an observer that fails to load must not affect the call
    const log = new watching.CallLog({ logger, clock, call: this.progress });
    this.#log = log;
    const work = () => log.follow(() => this.#finish(preparing), options.signal);
    return channel ? watching.trace(channel, this.progress, baseUrl, work) : work();
  }

  #makeRequests(request: PreparedRequest, deadline: Deadline): Promise<WithResponse<Result>> {
    const { settings, options, around } = this.#plan;
    const { noMoreAttempts } = options;
    const { progress } = this;
    const untilResult = async (confirmKey?: Step) => {
      const steps = stepsOf(this.#plan, confirmKey);
      const attempts = new CallAttempts({ plan: this.#plan, progress, deadline, log: this.#log, steps });
      return this.#result(await attempts.untilSuccess(request), deadline);
    };
    if (around === undefined) return untilResult();
    return around({
      settings,
      call: progress,
      body: request.body,
      deadline,
      noMoreAttempts,
      makeRequests: untilResult,
    });
  }

  /** The result, after any drift was reported. */
  async #result(success: CallSuccess<Result>, deadline: Deadline): Promise<WithResponse<Result>> {
    const { operation, settings } = this.#plan;
    const { onDrift, redact, validation } = settings;
    const { value, response } = success;
    const { status, headers } = response;
    const found = validation === 'off' ? [] : await this.#problemsWith(success, deadline);
    if (found.length > 0 && validation === 'strict') {
      const { errorOfUnusable } = await import('../response/failures.js');
      throw errorOfUnusable(this.progress, response, found, redact);
    }
    if (found.length > 0) {
      const problems = redactProblems(found, redact);
      notify(() => onDrift({ operation: operation.name, status, problems }));
    }
    const requestId = requestIdOf(response, redact);
    return { data: value, response: { status, headers }, requestId, attempts: this.progress.attempts };
  }

  /** The differences from the contract, or else from the workspace. */
  #problemsWith(
    { value, problems }: Reading<Result>,
    deadline: Deadline,
  ): readonly FieldProblem[] | Promise<readonly FieldProblem[]> {
    const { operation, options, settings } = this.#plan;
    const { workspace, validation } = settings;
    if (!workspace || problems.length > 0) return problems;
    return deadline.bound(workspace.inspect(operation.name, value)).catch((thrown: unknown) => {
      // The request was carried out, so only strict validation, an abort or a framework discards the result.
      if (validation === 'strict' || options.signal?.aborted || steersFramework(thrown)) throw thrown;
      return [{ field: '', message: 'could not be checked against the workspace before the deadline' }];
    });
  }

  #timeoutError(timeout: number): TimeoutError {
    const facts = factsOf(this.progress, true);
    return new TimeoutError(
      `${facts.operation} timed out after ${timeout} ms. ${describeOutcome(facts)} ` +
        'Give it a longer timeout if the service is known to be slow.',
      facts,
    );
  }

  #unexpectedError(thrown: unknown): RequestError {
    const { redact } = this.#plan.settings;
    const facts = factsOf(this.progress, false);
    const cause = cleanCopy(thrown, redact);
    const where = 'failed in the client, or in a part that its options gave it';
    return new RequestError(`${facts.operation} ${where} (${cause.message}). ${describeOutcome(facts)}`, {
      ...facts,
      cause,
    });
  }
}

/** A copy of a request that the caller may change while a workspace checks it: of its body and the plain objects in it. */
function copyOf(request: OperationRequest): OperationRequest {
  const fields = Object.entries(request.body ?? {}).map(([name, value]) => [
    name,
    isPlain(value) ? { ...value } : value,
  ]);
  return request.body === undefined ? request : { ...request, body: Object.fromEntries(fields) };
}

/** A schema may require an instance of a class, which stays as it is. */
function isPlain(value: unknown): value is object {
  return isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

/** A valid request, and the deadline that has started. */
interface Prepared {
  readonly deadline: Deadline;
  readonly request: PreparedRequest;
}
