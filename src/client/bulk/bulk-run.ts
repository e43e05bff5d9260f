import type { ItemRun } from './item-run.js';
import type { BulkJob } from './job.js';
import type { BulkOutcome, BulkSummary } from './outcome.js';

/** What of a run is seen from here. Its private parts would make a run of contacts something else than a run of anything. */
type RunUnderWay<Input, Data> = Pick<ItemRun<Input, Data>, 'summary' | 'next' | 'end'>;

/**
 * Many calls as one: iterate it for the outcome of each item, or await it for the summary alone. Nothing happens
 * before you do one of the two.
 *
 * Outcomes come in the order in which items end; `index` tells which item it is. Iterating slowly slows the run
 * down, so that memory stays bounded. After the loop, awaiting gives the summary; inside it, that would wait for
 * ever. An item that fails ends neither: look at the outcome. Leaving the loop begins no further items, and waits
 * for those under way.
 *
 * @example
 * ```ts
 * import { type BulkRun, type Contact, MessagingAutomation, type UpsertContactInput } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * const rows = [{ phone: '+15551234567' }, { phone: '+15557654321' }];
 * const run: BulkRun<UpsertContactInput, Contact> = messaging.contacts.upsertMany(rows);
 * for await (const outcome of run) {
 *   if (outcome.status !== 'done') console.error(outcome.index, outcome.error.message);
 * }
 * const { done, stoppedBecause } = await run;
 * console.log(done, stoppedBecause?.reason ?? 'complete');
 * ```
 */
export class BulkRun<Input, Data>
  implements AsyncIterable<BulkOutcome<Input, Data>>, PromiseLike<BulkSummary>
{
  readonly #job: BulkJob<Input, Data>;
  #begun: Promise<RunUnderWay<Input, Data>> | undefined;

  /** @internal */
  constructor(job: BulkJob<Input, Data>) {
    this.#job = job;
  }

  /**
   * Runs it, unless it is being iterated, and waits for its end.
   *
   * @returns The summary, also where the run ended early.
   * @throws {InvalidInputError} where an option or the stored checkpoint makes no sense; then nothing was sent.
   */
  // biome-ignore lint/suspicious/noThenProperty: a run that nobody awaits or iterates must not begin, so it is no promise but can be awaited.
  then<Fulfilled = BulkSummary, Rejected = never>(
    onFulfilled?: ((summary: BulkSummary) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#begin(false)
      .then((run) => run.summary)
      .then(onFulfilled, onRejected);
  }

  /**
   * Runs it, and gives the outcome of each item once.
   *
   * @throws TypeError where it was awaited or iterated before: its outcomes are gone.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<BulkOutcome<Input, Data>, undefined> {
    if (this.#begun !== undefined) {
      throw new TypeError('A bulk run gives its outcomes once: iterate it before you await it.');
    }
    const begun = this.#begin(true);
    return {
      next: async () => (await begun).next(),
      return: async () => (await begun).end(),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** What does the work is loaded here, for most users of the client never need it. */
  #begin(iterated: boolean): Promise<RunUnderWay<Input, Data>> {
    this.#begun ??= import('./item-run.js').then(({ ItemRun }) => new ItemRun(this.#job, iterated));
    return this.#begun;
  }
}
