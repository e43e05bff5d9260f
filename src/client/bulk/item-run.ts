import { notify } from '../../foundation/listeners.js';
import { steersFramework } from '../../foundation/steering.js';
import { RequestError } from '../errors/request-error.js';
import { type ContactKey, ContactOrder } from './contact-order.js';
import { asksForPause, Failures, heldBackError, interruptedError } from './failures.js';
import { InputReader, type Item, OutcomeChannel } from './input-and-outcomes.js';
import { callItem, SteeredCall } from './item-call.js';
import { Ledger } from './ledger.js';
import { type BulkJob, checkJob } from './options.js';
import type { BulkOutcome, BulkStop, BulkSummary } from './outcome.js';
import { type Permit, RateController } from './rate-controller.js';

/** After this many consecutive failures for an outside cause, the run slows down. */
const failuresOfOutage = 3;

/** @throws {InvalidInputError} when an option of the job is wrong. */
export function startRun<Input, Data>(job: BulkJob<Input, Data>, iterated: boolean): ItemRun<Input, Data> {
  checkJob(job);
  return new ItemRun(job, iterated);
}

/**
 * A running bulk run. The methods follow the way of an item: it is read, waits for an earlier item of its contact, waits for a
 * permit, is recorded, makes its call, and sends its outcome. At most `concurrency` contacts have an item on this way, and while
 * they do, the run does not read the next item.
 *
 * A library such as p-map would only limit the concurrent calls. This one also limits how far it reads ahead, waits for the loop,
 * stops without aborting requests in flight, shares one pause among all calls, keeps the items of a contact in their order, and
 * records an item before its call.
 */
class ItemRun<Input, Data> {
  /** Resolves when the run has ended; rejects if it could not start. */
  readonly summary: Promise<BulkSummary>;
  readonly #job: BulkJob<Input, Data>;
  readonly #concurrency: number;
  // What was read.
  readonly #reader: InputReader<Input>;
  // What is under way: its order, its rate, and how many contacts have an item under way.
  readonly #order: ContactOrder<Input>;
  readonly #rate: RateController;
  #underWay = 0;
  #itemEnded = () => {};
  // What is recorded, what failed, and what the loop gets.
  readonly #ledger: Ledger;
  readonly #failures: Failures;
  readonly #outcomes = new OutcomeChannel<BulkOutcome<Input, Data>>();
  // Why the run has stopped. Then no call makes another attempt.
  #stoppedBecause: BulkStop | undefined;
  /** What the run rejects with, once the calls in flight have ended. */
  #defect: { readonly error: unknown } | undefined;
  readonly #noMoreAttempts = new AbortController();

  /**
   * Starts the run.
   *
   * @param iterated Whether a loop consumes the outcomes.
   */
  constructor(job: BulkJob<Input, Data>, iterated: boolean) {
    const { concurrency = 8, maxRateLimitWait = 600_000, maxConsecutiveFailures = 10 } = job.options;
    this.#job = job;
    this.#concurrency = concurrency;
    this.#reader = new InputReader(job.inputs);
    this.#ledger = new Ledger(job, (error) => this.#stopFor('checkpoint_failed', error));
    this.#order = new ContactOrder(concurrency, (index) => this.#ledger.isOpen(index));
    this.#rate = new RateController(job.settings, concurrency, maxRateLimitWait);
    this.#failures = new Failures(maxConsecutiveFailures);
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
    try {
      return await this.#untilAbort(async () => {
        await this.#ledger.open();
        try {
          await this.#ledger.load();
          return await this.#processAll();
        } finally {
          await this.#ledger.close();
        }
      });
    } finally {
      this.#rate.stop(); // a pause may be longer than the run
      this.#outcomes.close();
    }
  }

  /** Does the work of the run, which stops when the user's signal aborts. */
  async #untilAbort<Result>(work: () => Promise<Result>): Promise<Result> {
    const { signal } = this.#job.options;
    const abort = () => this.#stop('aborted', signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    try {
      return await work();
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  async #processAll(): Promise<BulkSummary> {
    for (;;) {
      await this.#until(() => this.#underWay < this.#concurrency && !this.#order.isFull);
      const item = await this.#nextItem();
      if (item === undefined) break;
      this.#begin(item);
    }
    await this.#until(() => this.#underWay === 0);
    if (!this.#stoppedBecause) this.#ledger.reject(this.#failures.ended());
    await this.#ledger.saveWhole();
    if (this.#defect) throw this.#defect.error;
    await this.#reader.closed;
    return { ...this.#ledger.progress(), stoppedBecause: this.#stoppedBecause };
  }

  /** Waits for a condition that the end of an item may bring about. */
  async #until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#itemEnded = resolve;
      });
    }
  }

  /** The next item to process; `undefined` at the end of the input or after a stop. */
  async #nextItem(): Promise<Item<Input> | undefined> {
    try {
      for (;;) {
        const item = await this.#reader.read();
        if (item === undefined || !this.#isClosed(item.index)) return item;
        this.#ledger.count('skipped');
      }
    } catch (error) {
      this.#stopFor('input_failed', error);
      return undefined;
    }
  }

  /** Whether an earlier run has closed the item. */
  #isClosed(index: number): boolean {
    const status = this.#ledger.status(index);
    return status === 'done' || (status === 'rejected' && this.#job.options.retryRejected !== true);
  }

  /** Begins with an item, unless an earlier one of its contact is under way: then it waits behind that one. */
  #begin(item: Item<Input>): void {
    const contact = this.#contactOf(item);
    if (!this.#order.join(contact, item)) return;
    this.#underWay += 1;
    void this.#processInTurn(item, contact);
  }

  /** Processes an item, and then those of its contact that wait behind it. */
  async #processInTurn(first: Item<Input>, contact: ContactKey): Promise<void> {
    let item: Item<Input> | undefined = first;
    while (item !== undefined) {
      await this.#process(item, contact).catch((error: unknown) => this.#breakOff(error));
      item = this.#order.next(contact);
      if (item === undefined) this.#underWay -= 1;
      this.#itemEnded();
    }
  }

  /** Stops the run because what the user gave it threw. What steers the framework around the run is what the run rejects with. */
  #stopFor(reason: BulkStop['reason'], error: unknown): void {
    if (steersFramework(error)) this.#breakOff(error);
    else this.#stop(reason, error);
  }

  /**
   * Ends the run, which rejects: a part that the client's options gave it has failed, such as its source of randomness, or the users' code
   * steers the framework around the run.
   */
  #breakOff(error: unknown): undefined {
    this.#defect ??= { error };
    this.#stop('aborted', error);
  }

  async #process(item: Item<Input>, contact: ContactKey): Promise<void> {
    const outcome = await this.#carryOut(item, contact);
    if (outcome === undefined) return;
    this.#ledger.count(outcome.status);
    notify(() => this.#job.options.onProgress?.(this.#ledger.progress()));
    await this.#outcomes.send(outcome);
  }

  /** The outcome of the item; `undefined` if the run stopped before its first request. */
  async #carryOut(item: Item<Input>, contact: ContactKey): Promise<BulkOutcome<Input, Data> | undefined> {
    const { operation } = this.#job;
    const { index } = item;
    if (this.#stoppedBecause) return undefined;
    if (!this.#mayBegin(index))
      return this.#failed(item, interruptedError(operation, this.#ledger.status(index) === 'keyed'));
    const openItem = this.#order.openItem(contact);
    if (openItem === undefined) return this.#callUntilProcessed(item, contact);
    this.#order.leaveOpen(contact, index);
    return this.#failed(item, heldBackError(operation, openItem));
  }

  /** Makes the call of the item, and makes it again as long as the service asks for a pause. */
  async #callUntilProcessed(
    item: Item<Input>,
    contact: ContactKey,
  ): Promise<BulkOutcome<Input, Data> | undefined> {
    const { index } = item;
    let rateLimited: RequestError | undefined;
    for (;;) {
      const permit = await this.#permitFor(index, rateLimited !== undefined);
      if (permit === undefined) break;
      const result = await callItem(this.#job, item, this.#noMoreAttempts.signal);
      if (result instanceof SteeredCall) {
        if (result.outcome === 'unknown') this.#rate.release();
        else this.#giveBack(index);
        return this.#breakOff(result.thrown);
      }
      if (!(result instanceof RequestError)) return this.#succeeded(item, permit, result);
      if (this.#wasStoppedBefore(result)) {
        this.#giveBack(index);
        break;
      }
      this.#ledger.fail(index, result);
      if (!asksForPause(result)) {
        this.#judge(item, contact, permit, result);
        return this.#failed(item, result);
      }
      const mayContinue = this.#rate.rateLimited(permit, result.retryAfter);
      if (!mayContinue) this.#stop('rate_limited', result, index);
      if (result.outcome === 'unknown' && !this.#job.operation.repeatable) return this.#failed(item, result);
      rateLimited = result;
    }
    return rateLimited && this.#failed(item, rateLimited);
  }

  /** Whether a call may be made for the item, though an earlier run may have carried it out. */
  #mayBegin(index: number): boolean {
    const { operation, options, keyOf } = this.#job;
    if (operation.repeatable || options.retryUnknown === true) return true;
    const status = this.#ledger.status(index);
    return status !== 'unknown' && (status !== 'keyed' || keyOf !== undefined);
  }

  /** Waits for a permit and records the item as started; `undefined` if the run has stopped. */
  async #permitFor(index: number, again: boolean): Promise<Permit | undefined> {
    for (;;) {
      const permit = await this.#rate.acquire(again);
      if (permit === undefined) return undefined;
      await this.#ledger.claim(index);
      if (!this.#stoppedBecause && !this.#rate.isPaused) return permit;
      this.#giveBack(index);
    }
  }

  /** Gives back the permit and the claim of an item whose request did not start. */
  #giveBack(index: number): void {
    this.#ledger.unclaim(index);
    this.#rate.release();
  }

  /** Whether the run stopped while the call waited for the limiter of the client. */
  #wasStoppedBefore({ attempts, outcome }: RequestError): boolean {
    return attempts === 0 && outcome === 'not_sent' && this.#stoppedBecause !== undefined;
  }

  #succeeded({ index, input }: Item<Input>, permit: Permit, data: Data): BulkOutcome<Input, Data> {
    this.#rate.processed(permit);
    this.#ledger.succeed(index);
    this.#ledger.reject(this.#failures.succeeded(this.#templateOf(input)));
    return { status: 'done', index, input, data };
  }

  /** The outcome of an item that is not done, by what is recorded of it. */
  #failed({ index, input }: Item<Input>, error: RequestError): BulkOutcome<Input, Data> {
    return { status: this.#ledger.isUnclear(index) ? 'unknown' : 'rejected', index, input, error };
  }

  /** Decides what the failure of an item means for the others. */
  #judge({ index, input }: Item<Input>, contact: ContactKey, permit: Permit, error: RequestError): void {
    const isProven = this.#ledger.counts().done > 0;
    const verdict = this.#failures.failed(index, error, this.#templateOf(input), isProven);
    const { rejected = false, untilSuccess = false, stop: reason, outside = 0 } = verdict;
    if (rejected) this.#ledger.reject([index]);
    // Where a success closes this item, no later item of its contact can be done while this one stays open.
    else if (!untilSuccess && this.#ledger.isOpen(index)) this.#order.leaveOpen(contact, index);
    if (reason !== undefined) this.#stop(reason, error, index);
    if (outside >= failuresOfOutage) {
      const mayContinue = this.#rate.failing(permit);
      if (!mayContinue) this.#stop('service_unavailable', error, index);
    } else if (outside === 0 && error.attempts > 0) this.#rate.processed(permit);
    else this.#rate.release();
  }

  /** An item whose contact cannot be read has an order of its own. Its call reads it too, and reports the error. */
  #contactOf({ input }: Item<Input>): ContactKey {
    const alone = Symbol('an item without a contact');
    try {
      const contact = this.#job.contactOf(input);
      return typeof contact === 'string' ? contact : alone;
    } catch {
      return alone;
    }
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
    this.#rate.stop();
    this.#noMoreAttempts.abort();
  }
}
