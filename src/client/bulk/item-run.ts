import { notify } from '../../foundation/notify.js';
import type { RequestError } from '../errors/request-error.js';
import { Channel } from './channel.js';
import type { Standing } from './checkpoint.js';
import {
  asksForPause,
  asRequestError,
  interruptedError,
  RepeatedFailures,
  unconfirmedError,
} from './failures.js';
import { InputReader, type Item } from './input-reader.js';
import { Ledger } from './ledger.js';
import { type BulkJob, checkJob } from './options.js';
import type { BulkOutcome, BulkStop, BulkSummary } from './outcome.js';
import { createPace, type Pace, type Turn } from './pace.js';

/** After this many consecutive failures for an outside cause, the run slows down. */
const failuresOfOutage = 3;

/**
 * A running bulk run. The methods follow the way of an item: it is read, waits for its turn, is recorded, makes its call, and
 * sends its outcome. At most `concurrency` items are on this way, and only then does the run read the next one.
 *
 * A library such as p-map would only limit the concurrent calls. This class also limits how far it reads ahead, waits for the loop,
 * stops without aborting requests in flight, shares one pause among all calls, and records an item before its call.
 */
export class ItemRun<Input, Data> {
  /** Resolves when the run has ended; rejects if it could not start. */
  readonly summary: Promise<BulkSummary>;
  readonly #job: BulkJob<Input, Data>;
  readonly #reader: InputReader<Input>;
  readonly #ledger: Ledger;
  readonly #pace: Pace;
  readonly #failures: RepeatedFailures;
  readonly #outcomes = new Channel<BulkOutcome<Input, Data>>();
  readonly #concurrency: number;
  #underWay = 0;
  #itemEnded = () => {};
  /** Aborts when the run stops, so that no call makes another attempt. */
  readonly #noMoreAttempts = new AbortController();
  #stoppedBecause: BulkStop | undefined;

  /** @param iterated Whether a loop consumes the outcomes. */
  constructor(job: BulkJob<Input, Data>, iterated: boolean) {
    const { concurrency = 8, patience = 600_000, stopAfter = 10 } = job.options;
    this.#job = job;
    this.#concurrency = concurrency;
    this.#reader = new InputReader(job.inputs);
    this.#ledger = new Ledger(job, (error) => this.#stop('checkpoint_failed', error));
    this.#pace = createPace(job.timing, concurrency, patience);
    this.#failures = new RepeatedFailures(stopAfter);
    if (!iterated) this.#outcomes.close();
    this.summary = this.#run();
    this.summary.catch(() => {}); // a loop gets the rejection from `next`
  }

  /** The next outcome. */
  async next(): Promise<IteratorResult<BulkOutcome<Input, Data>, undefined>> {
    const outcome = await this.#outcomes.receive();
    if (outcome !== undefined) return { done: false, value: outcome };
    await this.summary;
    return { done: true, value: undefined };
  }

  /** Ends the run because the loop has ended, and waits for the calls in flight. */
  async end(): Promise<IteratorResult<never, undefined>> {
    this.#stop('iteration_ended', undefined);
    this.#outcomes.close();
    await this.summary;
    return { done: true, value: undefined };
  }

  async #run(): Promise<BulkSummary> {
    const { signal } = this.#job.options;
    const abort = () => this.#stop('aborted', signal?.reason);
    try {
      checkJob(this.#job);
      await this.#ledger.open();
      try {
        await this.#ledger.load();
        if (signal?.aborted) abort();
        signal?.addEventListener('abort', abort);
        return await this.#processAll();
      } finally {
        await this.#ledger.close();
      }
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#outcomes.close();
    }
  }

  async #processAll(): Promise<BulkSummary> {
    for (;;) {
      await this.#untilUnderWayBelow(this.#concurrency);
      const item = await this.#nextItem();
      if (item === undefined) break;
      this.#underWay += 1;
      void this.#process(item);
    }
    await this.#untilUnderWayBelow(1);
    if (!this.#stoppedBecause) this.#ledger.reject(this.#failures.ended());
    await this.#ledger.saveWhole();
    await this.#reader.closed;
    return { ...this.#ledger.progress, stoppedBecause: this.#stoppedBecause };
  }

  async #untilUnderWayBelow(count: number): Promise<void> {
    while (this.#underWay >= count) {
      await new Promise<void>((resolve) => {
        this.#itemEnded = resolve;
      });
    }
  }

  /** The next item to process; `undefined` at the end of the input or after a stop. */
  async #nextItem(): Promise<Item<Input> | undefined> {
    const { retryRejected = false } = this.#job.options;
    try {
      for (;;) {
        const item = await this.#reader.read();
        if (item === undefined) return undefined;
        const standing = this.#ledger.standing(item.index);
        if (standing !== 'done' && (standing !== 'rejected' || retryRejected)) return item;
        this.#ledger.count('skipped');
      }
    } catch (error) {
      this.#stop('input_failed', error);
      return undefined;
    }
  }

  async #process(item: Item<Input>): Promise<void> {
    const outcome = await this.#carryOut(item);
    if (outcome !== undefined) {
      this.#ledger.count(outcome.status);
      notify(() => this.#job.options.onProgress?.(this.#ledger.progress));
      await this.#outcomes.send(outcome);
    }
    this.#underWay -= 1;
    this.#itemEnded();
  }

  /** The outcome of the item; `undefined` if the run stopped before its first request. */
  async #carryOut(item: Item<Input>): Promise<BulkOutcome<Input, Data> | undefined> {
    const { operation, options } = this.#job;
    const before = this.#ledger.standing(item.index);
    if (before === 'unknown' && !operation.repeatable && options.retryUnknown !== true)
      return { status: 'unknown', ...item, error: interruptedError(operation) };
    let rateLimited: RequestError | undefined;
    for (;;) {
      const turn = await this.#turnFor(item.index, before, rateLimited !== undefined);
      if (turn === undefined) return rateLimited && failed(item, rateLimited, before);
      try {
        const data = await this.#call(item.input);
        this.#succeeded(turn, item);
        return { status: 'done', ...item, data };
      } catch (thrown) {
        const error = asRequestError(thrown, operation);
        const mayBeDone = error.outcome === 'unknown';
        this.#ledger.settle(item.index, mayBeDone ? 'unknown' : before);
        if (error.attempts === 0 && error.outcome === 'not_sent' && this.#stoppedBecause) {
          this.#pace.release(); // stopped while it waited for the client's limiter
          return rateLimited && failed(item, rateLimited, before);
        }
        if (!asksForPause(error)) {
          this.#failed(turn, item, error);
          return failed(item, error, before);
        }
        const isPatient = this.#pace.rateLimited(turn, error.retryAfter);
        if (!isPatient) this.#stop('rate_limited', error, item.index);
        if (mayBeDone && !operation.repeatable) return failed(item, error, before);
        rateLimited = error;
      }
    }
  }

  /** Waits for a turn and records the item as started; `undefined` if the run has stopped. */
  async #turnFor(index: number, before: Standing, again: boolean): Promise<Turn | undefined> {
    for (;;) {
      const turn = await this.#pace.turn(again);
      if (turn === undefined) return undefined;
      await this.#ledger.claim(index);
      if (!this.#stoppedBecause && !this.#pace.isPaused()) return turn;
      this.#ledger.settle(index, before);
      this.#pace.release();
    }
  }

  async #call(input: Input): Promise<Data> {
    const { operation, options } = this.#job;
    const { timeout, retries, headers } = options;
    const noMoreAttempts = this.#noMoreAttempts.signal;
    const callOptions = { timeout, retries, headers, retryRateLimits: false, noMoreAttempts } as const;
    const data = await this.#job.call(input, callOptions);
    if (this.#job.isConfirmed?.(data) === false) throw unconfirmedError(operation);
    return data;
  }

  #succeeded(turn: Turn, { index, input }: Item<Input>): void {
    this.#pace.processed(turn);
    this.#ledger.settle(index, 'done');
    this.#ledger.reject(this.#failures.succeeded(this.#templateOf(input)));
  }

  #failed(turn: Turn, { index, input }: Item<Input>, error: RequestError): void {
    const isProven = this.#ledger.counts.done > 0;
    const verdict = this.#failures.failed(index, error, this.#templateOf(input), isProven);
    const { rejected = false, stop, outside = 0 } = verdict;
    if (rejected) this.#ledger.reject([index]);
    if (stop !== undefined) this.#stop(stop, error, index);
    if (outside >= failuresOfOutage) {
      const isPatient = this.#pace.failing(turn);
      if (!isPatient) this.#stop('service_unavailable', error, index);
    } else if (outside === 0 && error.attempts > 0) this.#pace.processed(turn);
    else this.#pace.release();
  }

  /** Reading a field of an input may throw. The call reads it too, and reports the error. */
  #templateOf(input: Input): string | undefined {
    try {
      return this.#job.templateOf?.(input);
    } catch {
      return undefined;
    }
  }

  /** Prevents further items and attempts. Requests in flight continue. The first cause counts. */
  #stop(reason: BulkStop['reason'], error: unknown, index: number = this.#reader.position): void {
    this.#stoppedBecause ??= { reason, error, index };
    this.#reader.stop();
    this.#pace.stop();
    this.#noMoreAttempts.abort();
  }
}

/** An item that may have been carried out before stays unknown after a later rejection. */
function failed<Input>(item: Item<Input>, error: RequestError, before: Standing): BulkOutcome<Input, never> {
  const status = error.outcome === 'unknown' || before === 'unknown' ? 'unknown' : 'rejected';
  return { status, ...item, error };
}
