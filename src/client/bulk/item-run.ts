import { InvalidInputError } from '../errors/usage-errors.js';
import { Handover } from './handover.js';
import { InputReader, type Item } from './input-reader.js';
import { asRequestError, interruptedError, standingAfter, stopReasonOf } from './item-failure.js';
import type { BulkJob } from './job.js';
import { Ledger } from './ledger.js';
import type { BulkOutcome, BulkStop, BulkSummary } from './outcome.js';
import { problemsWithJob } from './problems-with-job.js';
import { readCheckpoint } from './saved-checkpoint.js';

/**
 * A bulk run under way: as many places as may be worked at once, each of which reads an item, makes its call, hands
 * over the outcome and only then reads the next. So no more items than places are ever between the input and
 * whoever takes the outcomes.
 *
 * A library such as p-map would bound the calls; but reading the input no further ahead, waiting for the reader of the
 * outcomes, stopping without cutting off what is under way and recording an item before its call are what this
 * is about, and would all be built around it.
 */
export class ItemRun<Input, Data> {
  /** Resolves when the run is over; rejects where it could not begin. */
  readonly summary: Promise<BulkSummary>;
  readonly #job: BulkJob<Input, Data>;
  readonly #reader: InputReader<Input>;
  readonly #outcomes = new Handover<BulkOutcome<Input, Data>>();
  readonly #counts = { done: 0, rejected: 0, unknown: 0, skipped: 0 };
  #ledger: Ledger | undefined;
  #stopped: BulkStop | undefined;

  /** @param iterated Whether somebody takes the outcomes. */
  constructor(job: BulkJob<Input, Data>, iterated: boolean) {
    this.#job = job;
    this.#reader = new InputReader(job.inputs);
    if (!iterated) this.#outcomes.close();
    this.summary = this.#run();
    this.summary.catch(() => {}); // whoever iterates hears of it from `next`
  }

  /** The next outcome. */
  async next(): Promise<IteratorResult<BulkOutcome<Input, Data>, undefined>> {
    const outcome = await this.#outcomes.take();
    if (outcome !== undefined) return { done: false, value: outcome };
    await this.summary;
    return { done: true, value: undefined };
  }

  /** Ends the run because nobody wants more outcomes, and waits for the calls under way. */
  async end(): Promise<IteratorResult<never, undefined>> {
    this.#stop('iteration_ended', undefined);
    this.#outcomes.close();
    await this.summary;
    return { done: true, value: undefined };
  }

  async #run(): Promise<BulkSummary> {
    const { signal, concurrency = 8 } = this.#job.options;
    const abort = () => this.#stop('aborted', signal?.reason);
    try {
      this.#check();
      this.#ledger = await this.#openLedger();
      if (signal?.aborted) abort();
      signal?.addEventListener('abort', abort);
      await Promise.all(Array.from({ length: concurrency }, () => this.#workAtOnePlace()));
      await this.#ledger?.save();
      await this.#reader.closed;
      return { ...this.#counts, stoppedBecause: this.#stopped };
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#outcomes.close();
    }
  }

  #check(): void {
    const problems = problemsWithJob(this.#job);
    if (problems.length > 0) throw new InvalidInputError(`${this.#job.operation.name}Many`, problems);
  }

  async #openLedger(): Promise<Ledger | undefined> {
    const { operation, options } = this.#job;
    if (options.checkpoint === undefined) return undefined;
    const stored = (await options.checkpoint.load()) ?? undefined;
    const checkpoint = readCheckpoint(stored, operation.name);
    if (stored !== undefined && checkpoint === undefined) {
      const message = `holds something else than a checkpoint of ${operation.name}; give each job a store of its own`;
      throw new InvalidInputError(`${operation.name}Many`, [{ field: 'checkpoint', message }]);
    }
    const saveFailed = (error: unknown) => this.#stop('checkpoint_failed', error);
    return new Ledger(options.checkpoint, operation, checkpoint, saveFailed);
  }

  async #workAtOnePlace(): Promise<void> {
    for (;;) {
      const item = await this.#read();
      if (item === undefined) return;
      const outcome = await this.#carryOut(item);
      if (outcome === undefined) return;
      this.#count(outcome);
      await this.#outcomes.give(outcome);
    }
  }

  /** The next item that is not finished; `undefined` when there is none, or no more are to be begun. */
  async #read(): Promise<Item<Input> | undefined> {
    try {
      for (;;) {
        const item = await this.#reader.read();
        if (item === undefined || this.#ledger?.standing(item.index) !== 'finished') return item;
        this.#counts.skipped += 1;
      }
    } catch (error) {
      this.#stop('input_failed', error);
      return undefined;
    }
  }

  /** What becomes of the item; `undefined` when the run stopped before its call began. */
  async #carryOut({ index, input }: Item<Input>): Promise<BulkOutcome<Input, Data> | undefined> {
    const { operation, options } = this.#job;
    const { timeout, retries, headers, retryUnknown = false } = options;
    const standing = this.#ledger?.standing(index) ?? 'open';
    if (standing === 'unknown' && !operation.repeatable && !retryUnknown)
      return { status: 'unknown', index, input, error: interruptedError(operation) };
    await this.#ledger?.claim(index);
    if (this.#stopped) {
      this.#ledger?.settle(index, standing);
      return undefined;
    }
    try {
      const data = await this.#job.call(input, { timeout, retries, headers });
      this.#ledger?.settle(index, 'finished');
      return { status: 'done', index, input, data };
    } catch (thrown) {
      const error = asRequestError(thrown, operation);
      this.#ledger?.settle(index, standingAfter(error, operation));
      const reason = stopReasonOf(error);
      if (reason !== undefined) this.#stop(reason, error, index);
      return { status: error.outcome === 'unknown' ? 'unknown' : 'rejected', index, input, error };
    }
  }

  #count({ status }: BulkOutcome<Input, Data>): void {
    this.#counts[status] += 1;
    const { onProgress } = this.#job.options;
    const tell = async () => onProgress?.({ ...this.#counts });
    tell().catch(() => {}); // items are being carried out; a fault in an observer, sooner or later, must not end that
  }

  /** Begins no further item. What is under way goes on to its end. */
  #stop(reason: BulkStop['reason'], error: unknown, index = this.#reader.position): void {
    this.#stopped ??= { reason, error, index };
    this.#reader.stop();
  }
}
