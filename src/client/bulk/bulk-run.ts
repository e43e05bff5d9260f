import type { BulkJob } from './options.js';
import type { BulkOutcome, BulkSummary } from './outcome.js';

/**
 * A bulk run whose outcomes you iterate, returned by `contacts.upsertEach`, `transactional.sendEach` and
 * `events.trackEach`. It starts with the loop or with `summary()`. It is not a promise, so an async function can return it without
 * awaiting it.
 *
 * Outcomes arrive in the order in which items end; `index` is the index of the item in the input. A slow loop slows the
 * run down, which bounds the memory. An item that fails does not end the loop: check `status`. If you leave the loop,
 * the run starts no further items and waits for requests in flight.
 *
 * @example
 * ```ts
 * import { type BulkRun, type Contact, MessagingAutomation, type UpsertContactInput } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * const rows = [{ phone: '+15551234567' }, { phone: '+15557654321' }];
 * const run: BulkRun<UpsertContactInput, Contact> = messaging.contacts.upsertEach(rows);
 * for await (const outcome of run) {
 *   if (outcome.status !== 'done') console.error(outcome.index, outcome.error.message);
 * }
 * const { done, stoppedBecause } = await run.summary();
 * console.log(done, stoppedBecause?.reason ?? 'complete');
 * ```
 */
export class BulkRun<Input, Data> implements AsyncIterable<BulkOutcome<Input, Data>> {
  readonly #job: BulkJob<Input, Data>;
  #started: Promise<StartedRun<Input, Data>> | undefined;

  /** @internal */
  constructor(job: BulkJob<Input, Data>) {
    this.#job = job;
    // Promises of an array may reject before the run reads them, which must not end the process.
    if (Array.isArray(job.inputs)) for (const input of job.inputs) Promise.resolve(input).catch(() => {});
  }

  /**
   * Waits for the end of the run. Call it after the loop. Without a loop, it starts the run. Do not await it inside the
   * loop: the run waits there for the loop to take its next outcome.
   *
   * @returns The summary, even if the run stopped early.
   * @throws {InvalidInputError} when an option or the stored checkpoint is invalid. Nothing was sent.
   */
  async summary(): Promise<BulkSummary> {
    return (await this.#start(false)).summary;
  }

  /**
   * Starts the run, and yields the outcome of each item once.
   *
   * @throws {TypeError} when the run has already started, because its earlier outcomes are lost.
   */
  [Symbol.asyncIterator](): Outcomes<BulkOutcome<Input, Data>> {
    if (this.#started !== undefined) {
      throw new TypeError('A bulk run yields its outcomes once: iterate it before you call summary().');
    }
    const started = this.#start(true);
    return {
      next: async () => (await started).next(),
      return: async () => (await started).end(),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** Loads the code of bulk runs when the first run starts, because most programs never need it. */
  #start(iterated: boolean): Promise<StartedRun<Input, Data>> {
    this.#started ??= import('./item-run.js').then(({ startRun }) => startRun(this.#job, iterated));
    this.#started.catch(() => {}); // whoever waits for the run gets the rejection
    return this.#started;
  }
}

/** The same as `AsyncIterableIterator<Outcome, undefined>` of TypeScript 5.6 and later. */
interface Outcomes<Outcome> extends AsyncIterator<Outcome, undefined> {
  [Symbol.asyncIterator](): Outcomes<Outcome>;
}

/** What a loop needs of a run that has started. Unlike the class of the run, a run of a specific type is assignable to it of any type. */
interface StartedRun<Input, Data> {
  readonly summary: Promise<BulkSummary>;
  next(): Promise<IteratorResult<BulkOutcome<Input, Data>, undefined>>;
  end(): Promise<IteratorResult<never, undefined>>;
}
