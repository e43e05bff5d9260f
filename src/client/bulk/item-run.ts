import { notify } from '../../foundation/notify.js';
import { InvalidInputError } from '../errors/usage-errors.js';
import { Channel } from './channel.js';
import type { CheckpointStore } from './checkpoint.js';
import { InputReader, type Item } from './input-reader.js';
import { ItemWorker } from './item-worker.js';
import type { BulkJob } from './job.js';
import { Ledger } from './ledger.js';
import type { BulkOutcome, BulkStop, BulkSummary } from './outcome.js';
import { Pace } from './pace.js';
import { problemsWithJob } from './problems-with-job.js';
import { Progress, sizeOf } from './progress.js';
import { RepeatedFailures } from './repeated-failures.js';
import { Slots } from './slots.js';
import { readStandings, Standings } from './standings.js';
import { Stopping } from './stopping.js';

/** How long a run waits for its store to close, in milliseconds. */
const longestClose = 30_000;

/**
 * A running bulk run. At most `concurrency` items are in progress, from reading the input to the loop over the outcomes: each item
 * waits for its turn, makes its call and sends its outcome. Only then does the run read the next item.
 *
 * A library such as p-map would only limit the concurrent calls. This class also limits how far it reads ahead, waits for the loop,
 * stops without aborting requests in flight, shares one pause among all calls, and records an item before its call.
 */
export class ItemRun<Input, Data> {
  /** Resolves when the run has ended; rejects if it could not start. */
  readonly summary: Promise<BulkSummary>;
  readonly #job: BulkJob<Input, Data>;
  readonly #concurrency: number;
  readonly #reader: InputReader<Input>;
  readonly #outcomes = new Channel<BulkOutcome<Input, Data>>();
  readonly #slots = new Slots();
  readonly #pace: Pace;
  readonly #progress: Progress;
  readonly #stopping = new Stopping(() => {
    this.#reader.stop();
    this.#pace.stop();
  });

  /** @param iterated Whether a loop consumes the outcomes. */
  constructor(job: BulkJob<Input, Data>, iterated: boolean) {
    const { concurrency = 8, patience = 600_000, total = sizeOf(job.inputs) } = job.options;
    this.#job = job;
    this.#concurrency = concurrency;
    this.#reader = new InputReader(job.inputs);
    this.#pace = new Pace(job.timing, concurrency, patience);
    this.#progress = new Progress(job.timing.clock, total);
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
    const { signal, checkpoint } = this.#job.options;
    const abort = () => this.#stop('aborted', signal?.reason);
    try {
      this.#check();
      await checkpoint?.open?.();
      try {
        const ledger = await this.#openLedger();
        if (signal?.aborted) abort();
        signal?.addEventListener('abort', abort);
        return await this.#workThrough(ledger);
      } finally {
        await this.#close(checkpoint);
      }
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#outcomes.close();
    }
  }

  #check(): void {
    const problems = problemsWithJob(this.#job);
    if (problems.length > 0) throw new InvalidInputError(`${this.#job.operation.name}Many`, problems);
  }

  async #openLedger(): Promise<Ledger> {
    const { operation, options } = this.#job;
    const stored = (await options.checkpoint?.load()) ?? undefined;
    const standings = stored === undefined ? new Standings() : readStandings(stored, operation.name);
    if (standings === undefined) {
      const message = `holds something else than a checkpoint of ${operation.name}; give each job a store of its own`;
      throw new InvalidInputError(`${operation.name}Many`, [{ field: 'checkpoint', message }]);
    }
    const saveFailed = (error: unknown) => this.#stop('checkpoint_failed', error);
    return new Ledger(options.checkpoint, operation, standings, saveFailed);
  }

  async #workThrough(ledger: Ledger): Promise<BulkSummary> {
    const failures = new RepeatedFailures(this.#job.options.stopAfter ?? 10, ledger.counts.done > 0);
    const site = { ledger, failures, pace: this.#pace, stopping: this.#stopping };
    const worker = new ItemWorker(this.#job, site);
    for (;;) {
      await this.#slots.untilBelow(this.#concurrency);
      const item = await this.#read(ledger);
      if (item === undefined) break;
      this.#slots.acquire();
      void this.#work(worker, item, ledger).finally(() => this.#slots.release());
    }
    await this.#slots.untilBelow(1);
    if (!this.#stopping.because) for (const refused of failures.ended()) ledger.reject(refused);
    await ledger.saveWhole();
    await this.#reader.closed;
    return { ...this.#progress.soFar(ledger.counts), stoppedBecause: this.#stopping.because };
  }

  /** The next item to process; `undefined` at the end of the input or after a stop. */
  async #read(ledger: Ledger): Promise<Item<Input> | undefined> {
    const { retryRejected = false } = this.#job.options;
    try {
      for (;;) {
        const item = await this.#reader.read();
        if (item === undefined) return undefined;
        const standing = ledger.standing(item.index);
        if (standing !== 'done' && (standing !== 'rejected' || retryRejected)) return item;
        this.#progress.count('skipped');
      }
    } catch (error) {
      this.#stop('input_failed', error);
      return undefined;
    }
  }

  async #work(worker: ItemWorker<Input, Data>, item: Item<Input>, ledger: Ledger): Promise<void> {
    const outcome = await worker.carryOut(item);
    if (outcome === undefined) return;
    this.#progress.count(outcome.status);
    this.#reportProgress(ledger);
    await this.#outcomes.send(outcome);
  }

  /** Reports progress. An error of the observer must not end the run. */
  #reportProgress(ledger: Ledger): void {
    const { onProgress } = this.#job.options;
    notify(() => onProgress?.(this.#progress.soFar(ledger.counts)));
  }

  /** Everything is saved, so a store that fails to close or takes too long does not matter. */
  async #close(store: CheckpointStore | undefined): Promise<void> {
    if (store?.close === undefined) return;
    const closed = Promise.resolve(store.close()).catch(() => {});
    await new Promise<void>((resolve) => {
      const cancelTimer = this.#job.timing.clock.setTimer(resolve, longestClose);
      void closed.then(cancelTimer).then(resolve);
    });
  }

  #stop(reason: BulkStop['reason'], error: unknown): void {
    this.#stopping.stop({ reason, error, index: this.#reader.position });
  }
}
