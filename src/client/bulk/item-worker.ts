import type { RequestError } from '../errors/request-error.js';
import type { Item } from './input-reader.js';
import {
  asksForPause,
  asRequestError,
  interruptedError,
  stopReasonOf,
  unconfirmedError,
} from './item-failure.js';
import type { BulkJob } from './job.js';
import type { Ledger } from './ledger.js';
import type { BulkOutcome, BulkStop } from './outcome.js';
import type { Pace, Turn } from './pace.js';
import type { RepeatedFailures } from './repeated-failures.js';
import type { Standing } from './standings.js';
import type { Stopping } from './stopping.js';

/** After this many consecutive failures for an outside cause, the run slows down. */
const failuresOfOutage = 3;

/** What the items of a run share. */
export interface WorkSite {
  readonly ledger: Ledger;
  readonly pace: Pace;
  readonly failures: RepeatedFailures;
  readonly stopping: Stopping;
}

/** Processes items: waits for a turn, records the item, makes its call, and updates the state of the run. */
export class ItemWorker<Input, Data> {
  readonly #job: BulkJob<Input, Data>;
  readonly #site: WorkSite;

  constructor(job: BulkJob<Input, Data>, site: WorkSite) {
    this.#job = job;
    this.#site = site;
  }

  /** The outcome of the item; `undefined` if the run stopped before its first request. */
  async carryOut(item: Item<Input>): Promise<BulkOutcome<Input, Data> | undefined> {
    const { operation, options } = this.#job;
    const before = this.#site.ledger.standing(item.index);
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
        this.#site.ledger.settle(item.index, mayBeDone ? 'unknown' : before);
        if (error.attempts === 0 && error.outcome === 'not_sent' && this.#site.stopping.because) {
          this.#site.pace.release(); // stopped while it waited for the client's limiter
          return rateLimited && failed(item, rateLimited, before);
        }
        if (!asksForPause(error)) {
          this.#conclude(turn, item, error);
          return failed(item, error, before);
        }
        const isPatient = this.#site.pace.rateLimited(turn, error.retryAfter);
        if (!isPatient) this.#stop('rate_limited', error, item.index);
        if (mayBeDone && !operation.repeatable) return failed(item, error, before);
        rateLimited = error;
      }
    }
  }

  /** Waits for a turn and records the item as started; `undefined` if the run has stopped. */
  async #turnFor(index: number, before: Standing, again: boolean): Promise<Turn | undefined> {
    const { pace, ledger, stopping } = this.#site;
    for (;;) {
      const turn = await pace.turn(again);
      if (turn === undefined) return undefined;
      await ledger.claim(index);
      if (!stopping.because && !pace.paused) return turn;
      ledger.settle(index, before);
      pace.release();
    }
  }

  async #call(input: Input): Promise<Data> {
    const { operation, options } = this.#job;
    const { timeout, retries, headers } = options;
    const noMoreAttempts = this.#site.stopping.signal;
    const callOptions = { timeout, retries, headers, retryRateLimits: false, noMoreAttempts } as const;
    const data = await this.#job.call(input, callOptions);
    if (this.#job.isConfirmed?.(data) === false) throw unconfirmedError(operation);
    return data;
  }

  #succeeded(turn: Turn, { index, input }: Item<Input>): void {
    const { pace, ledger, failures } = this.#site;
    pace.processed(turn);
    ledger.settle(index, 'done');
    for (const refused of failures.succeeded(this.#templateOf(input))) ledger.reject(refused);
  }

  /** Updates the run after an item failed. */
  #conclude(turn: Turn, { index, input }: Item<Input>, error: RequestError): void {
    const { pace, ledger, failures } = this.#site;
    const reason = stopReasonOf(error);
    if (reason !== undefined) {
      pace.release();
      this.#stop(reason, error, index);
      return;
    }
    const { rejected, stop, outside } = failures.failed(index, error, this.#templateOf(input));
    for (const refused of rejected) ledger.reject(refused);
    if (stop !== undefined) this.#stop(stop, error, index);
    if (outside >= failuresOfOutage) {
      const isPatient = pace.failing(turn);
      if (!isPatient) this.#stop('service_unavailable', error, index);
    } else if (outside === 0 && error.attempts > 0) pace.processed(turn);
    else pace.release();
  }

  /** Reading a field of an input may throw. The call reads it too, and reports the error. */
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

/** An item that may have been carried out before stays unknown after a later rejection. */
function failed<Input>(item: Item<Input>, error: RequestError, before: Standing): BulkOutcome<Input, never> {
  const status = error.outcome === 'unknown' || before === 'unknown' ? 'unknown' : 'rejected';
  return { status, ...item, error };
}
