import { notify } from '../../foundation/listeners.js';
import type { RequestError } from '../errors/request-error.js';
import { createChannel } from './channel.js';
import type { ItemStatus } from './checkpoint.js';
import {
  asksForPause,
  asRequestError,
  createFailures,
  interruptedError,
  unconfirmedError,
} from './failures.js';
import { InputReader, type Item } from './input-reader.js';
import { createLedger } from './ledger.js';
import { type BulkJob, checkJob } from './options.js';
import type { BulkOutcome, BulkStop, BulkSummary } from './outcome.js';
import { createRateController, type Permit } from './rate-controller.js';

/** After this many consecutive failures for an outside cause, the run slows down. */
const failuresOfOutage = 3;

/** A running bulk run, by {@link startItemRun}. */
export type ItemRun<Input, Data> = ReturnType<typeof startItemRun<Input, Data>>;

/**
 * Starts a bulk run. The functions follow the way of an item: it is read, waits for a permit, is recorded, makes its call, and
 * sends its outcome. At most `concurrency` items are on this way, and only then does the run read the next one.
 *
 * A library such as p-map would only limit the concurrent calls. This one also limits how far it reads ahead, waits for the loop,
 * stops without aborting requests in flight, shares one pause among all calls, and records an item before its call.
 *
 * @param iterated Whether a loop consumes the outcomes.
 */
export function startItemRun<Input, Data>(job: BulkJob<Input, Data>, iterated: boolean) {
  const { operation, options } = job;
  const {
    signal,
    concurrency = 8,
    maxRateLimitWait = 600_000,
    maxConsecutiveFailures = 10,
    retryRejected = false,
  } = options;
  const reader = new InputReader(job.inputs);
  const ledger = createLedger(job, (error) => stop('checkpoint_failed', error));
  const rate = createRateController(job.timing, concurrency, maxRateLimitWait);
  const failures = createFailures(maxConsecutiveFailures);
  const outcomes = createChannel<BulkOutcome<Input, Data>>();
  /** Aborts when the run stops, so that no call makes another attempt. */
  const noMoreAttempts = new AbortController();
  let underWay = 0;
  let itemEnded = () => {};
  let stoppedBecause: BulkStop | undefined;

  async function run(): Promise<BulkSummary> {
    const abort = () => stop('aborted', signal?.reason);
    try {
      checkJob(job);
      await ledger.open();
      try {
        await ledger.load();
        if (signal?.aborted) abort();
        signal?.addEventListener('abort', abort);
        return await processAll();
      } finally {
        await ledger.close();
      }
    } finally {
      signal?.removeEventListener('abort', abort);
      outcomes.close();
    }
  }

  async function processAll(): Promise<BulkSummary> {
    for (;;) {
      await untilUnderWayBelow(concurrency);
      const item = await nextItem();
      if (item === undefined) break;
      underWay += 1;
      void processItem(item);
    }
    await untilUnderWayBelow(1);
    if (!stoppedBecause) ledger.reject(failures.ended());
    await ledger.saveWhole();
    await reader.closed;
    return { ...ledger.progress(), stoppedBecause };
  }

  async function untilUnderWayBelow(count: number): Promise<void> {
    while (underWay >= count) {
      await new Promise<void>((resolve) => {
        itemEnded = resolve;
      });
    }
  }

  /** The next item to process; `undefined` at the end of the input or after a stop. */
  async function nextItem(): Promise<Item<Input> | undefined> {
    try {
      for (;;) {
        const item = await reader.read();
        if (item === undefined) return undefined;
        const status = ledger.status(item.index);
        if (status !== 'done' && (status !== 'rejected' || retryRejected)) return item;
        ledger.count('skipped');
      }
    } catch (error) {
      stop('input_failed', error);
      return undefined;
    }
  }

  async function processItem(item: Item<Input>): Promise<void> {
    const outcome = await carryOut(item);
    if (outcome !== undefined) {
      ledger.count(outcome.status);
      notify(() => options.onProgress?.(ledger.progress()));
      await outcomes.send(outcome);
    }
    underWay -= 1;
    itemEnded();
  }

  /** The outcome of the item; `undefined` if the run stopped before its first request. */
  async function carryOut(item: Item<Input>): Promise<BulkOutcome<Input, Data> | undefined> {
    const before = ledger.status(item.index);
    if (before === 'unknown' && !operation.repeatable && options.retryUnknown !== true)
      return { status: 'unknown', ...item, error: interruptedError(operation) };
    let rateLimited: RequestError | undefined;
    for (;;) {
      const permit = await permitFor(item.index, before, rateLimited !== undefined);
      if (permit === undefined) return rateLimited && failed(item, rateLimited, before);
      try {
        const data = await call(item);
        rate.processed(permit);
        ledger.settle(item.index, 'done');
        ledger.reject(failures.succeeded(templateOf(item.input)));
        return { status: 'done', ...item, data };
      } catch (thrown) {
        const error = asRequestError(thrown, operation);
        const mayBeDone = error.outcome === 'unknown';
        ledger.settle(item.index, mayBeDone ? 'unknown' : before);
        if (error.attempts === 0 && error.outcome === 'not_sent' && stoppedBecause) {
          rate.release(); // stopped while it waited for the client's limiter
          return rateLimited && failed(item, rateLimited, before);
        }
        if (!asksForPause(error)) {
          judge(permit, item, error);
          return failed(item, error, before);
        }
        const mayContinue = rate.rateLimited(permit, error.retryAfter);
        if (!mayContinue) stop('rate_limited', error, item.index);
        if (mayBeDone && !operation.repeatable) return failed(item, error, before);
        rateLimited = error;
      }
    }
  }

  /** Waits for a permit and records the item as started; `undefined` if the run has stopped. */
  async function permitFor(index: number, before: ItemStatus, again: boolean): Promise<Permit | undefined> {
    for (;;) {
      const permit = await rate.acquire(again);
      if (permit === undefined) return undefined;
      await ledger.claim(index);
      if (!stoppedBecause && !rate.isPaused()) return permit;
      ledger.settle(index, before);
      rate.release();
    }
  }

  async function call({ input, index }: Item<Input>): Promise<Data> {
    const { timeout, retries, headers } = options;
    const ofRun = { retryRateLimits: false, noMoreAttempts: noMoreAttempts.signal };
    const data = await job.call(input, { timeout, retries, headers, ...ofRun }, index);
    if (job.isConfirmed?.(data) === false) throw unconfirmedError(operation);
    return data;
  }

  /** Decides what the failure of an item means for the others. */
  function judge(permit: Permit, { index, input }: Item<Input>, error: RequestError): void {
    const isProven = ledger.counts().done > 0;
    const verdict = failures.failed(index, error, templateOf(input), isProven);
    const { rejected = false, stop: reason, outside = 0 } = verdict;
    if (rejected) ledger.reject([index]);
    if (reason !== undefined) stop(reason, error, index);
    if (outside >= failuresOfOutage) {
      const mayContinue = rate.failing(permit);
      if (!mayContinue) stop('service_unavailable', error, index);
    } else if (outside === 0 && error.attempts > 0) rate.processed(permit);
    else rate.release();
  }

  /** Reading a field of an input may throw. The call reads it too, and reports the error. */
  function templateOf(input: Input): string | undefined {
    try {
      return job.templateOf?.(input);
    } catch {
      return undefined;
    }
  }

  /** Prevents further items and attempts. Requests in flight continue. The first cause counts. */
  function stop(reason: BulkStop['reason'], error: unknown, index: number = reader.position): void {
    stoppedBecause ??= { reason, error, index };
    reader.stop();
    rate.stop();
    noMoreAttempts.abort();
  }

  if (!iterated) outcomes.close();
  const summary = run();
  summary.catch(() => {}); // a loop gets the rejection from `next`
  return {
    /** Resolves when the run has ended; rejects if it could not start. */
    summary,
    /** The next outcome. */
    async next(): Promise<IteratorResult<BulkOutcome<Input, Data>, undefined>> {
      const outcome = await outcomes.receive();
      if (outcome !== undefined) return { done: false, value: outcome };
      await summary;
      return { done: true, value: undefined };
    },
    /** Ends the run because the loop has ended, and waits for the calls in flight. */
    async end(): Promise<IteratorResult<never, undefined>> {
      stop('iteration_ended', undefined);
      outcomes.close();
      await summary;
      return { done: true, value: undefined };
    },
  };
}

/** An item that may have been carried out before stays unknown after a later rejection. */
function failed<Input>(
  item: Item<Input>,
  error: RequestError,
  before: ItemStatus,
): BulkOutcome<Input, never> {
  const status = error.outcome === 'unknown' || before === 'unknown' ? 'unknown' : 'rejected';
  return { status, ...item, error };
}
