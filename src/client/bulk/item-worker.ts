import type { RequestError } from '../errors/request-error.js';
import type { Item } from './input-reader.js';
import { asksForPause, asRequestError, deniedError, interruptedError, stopReasonOf } from './item-failure.js';
import type { BulkJob } from './job.js';
import type { Ledger, Standing } from './ledger.js';
import type { BulkOutcome, BulkStop } from './outcome.js';
import type { Pace, Turn } from './pace.js';
import type { RepeatedFailures } from './repeated-failures.js';
import type { Stopping } from './stopping.js';

/** From so many items in a row on that fail for a cause outside of them, the run goes slowly. */
const signOfOutage = 3;

/** What the items of a run share. */
export interface WorkSite {
  readonly ledger: Ledger;
  readonly pace: Pace;
  readonly failures: RepeatedFailures;
  readonly stopping: Stopping;
}

/** Carries out items: each waits for its turn, is recorded, makes its call, and draws its conclusions for the run. */
export class ItemWorker<Input, Data> {
  readonly #job: BulkJob<Input, Data>;
  readonly #site: WorkSite;

  constructor(job: BulkJob<Input, Data>, site: WorkSite) {
    this.#job = job;
    this.#site = site;
  }

  /** What becomes of the item; `undefined` when the run stopped before its first request. */
  async carryOut(item: Item<Input>): Promise<BulkOutcome<Input, Data> | undefined> {
    const { operation, options } = this.#job;
    const before = this.#site.ledger.standing(item.index);
    if (before === 'unknown' && !operation.repeatable && options.retryUnknown !== true)
      return { status: 'unknown', ...item, error: interruptedError(operation) };
    let heldUp: RequestError | undefined;
    for (;;) {
      const turn = await this.#turnFor(item.index, before, heldUp !== undefined);
      if (turn === undefined) return heldUp && failed(item, heldUp, before);
      try {
        const data = await this.#call(item.input);
        this.#succeeded(turn, item);
        return { status: 'done', ...item, data };
      } catch (thrown) {
        const error = asRequestError(thrown, operation);
        const mayBeDone = error.outcome === 'unknown';
        this.#site.ledger.settle(item.index, mayBeDone ? 'unknown' : before);
        if (!asksForPause(error)) {
          this.#conclude(turn, item, error);
          return failed(item, error, before);
        }
        const isPatient = this.#site.pace.heldUp(turn, error.retryAfter);
        if (!isPatient) this.#stop('rate_limited', error, item.index);
        if (mayBeDone && !operation.repeatable) return failed(item, error, before);
        heldUp = error;
      }
    }
  }

  /** Leave to make the item's call, with the item recorded as begun; `undefined` when the run has stopped. */
  async #turnFor(index: number, before: Standing, again: boolean): Promise<Turn | undefined> {
    const { pace, ledger, stopping } = this.#site;
    for (;;) {
      const turn = await pace.turn(again);
      if (turn === undefined) return undefined;
      await ledger.claim(index);
      if (!stopping.because && !pace.paused) return turn;
      ledger.settle(index, before);
      pace.giveBack();
    }
  }

  async #call(input: Input): Promise<Data> {
    const { operation, options } = this.#job;
    const { timeout, retries, headers } = options;
    const noMoreAttempts = this.#site.stopping.signal;
    const callOptions = { timeout, retries, headers, retryRateLimits: false, noMoreAttempts } as const;
    const data = await this.#job.call(input, callOptions);
    if (this.#job.isDenied?.(data)) throw deniedError(operation);
    return data;
  }

  #succeeded(turn: Turn, { index, input }: Item<Input>): void {
    const { pace, ledger, failures } = this.#site;
    pace.gotThrough(turn);
    ledger.settle(index, 'done');
    for (const refused of failures.succeeded(this.#templateOf(input))) ledger.reject(refused);
  }

  /** What the failure of an item means for the others, and for the run. */
  #conclude(turn: Turn, { index, input }: Item<Input>, error: RequestError): void {
    const { pace, ledger, failures } = this.#site;
    const reason = stopReasonOf(error);
    if (reason !== undefined) {
      pace.giveBack();
      this.#stop(reason, error, index);
      return;
    }
    const { rejected, stop, outside } = failures.failed(index, error, this.#templateOf(input));
    for (const refused of rejected) ledger.reject(refused);
    if (stop !== undefined) this.#stop(stop, error, index);
    if (outside >= signOfOutage) {
      const isPatient = pace.failing(turn);
      if (!isPatient) this.#stop('service_unavailable', error, index);
    } else if (outside === 0 && error.attempts > 0) pace.gotThrough(turn);
    else pace.giveBack();
  }

  /** Some inputs answer with an error of their own: their call meets it too, and reports it. */
  #templateOf(input: Input): string | undefined {
    try {
      return this.#job.templateOf?.(input);
    } catch {
      return undefined;
    }
  }

  #stop(reason: BulkStop['reason'], error: unknown, index: number): void {
    this.#site.stopping.stop({ reason, error, index });
  }
}

/** What may have been carried out before is no more certain after a later refusal. */
function failed<Input>(item: Item<Input>, error: RequestError, before: Standing): BulkOutcome<Input, never> {
  const status = error.outcome === 'unknown' || before === 'unknown' ? 'unknown' : 'rejected';
  return { status, ...item, error };
}
