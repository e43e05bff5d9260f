import { type Clock, steadyTime } from '../../foundation/clock.js';
import type { BulkInputs } from './options.js';
import type { BulkCounts, BulkOutcome, BulkProgress } from './outcome.js';

/** Counts the processed items of a run, and estimates the remaining time. */
export class Progress {
  readonly #clock: Clock;
  readonly #total: number | undefined;
  readonly #start: number;
  readonly #counts = { done: 0, rejected: 0, unknown: 0, skipped: 0 };

  constructor(clock: Clock, total: number | undefined) {
    this.#clock = clock;
    this.#total = total;
    this.#start = steadyTime(clock);
  }

  count(status: BulkOutcome<unknown, unknown>['status'] | 'skipped'): void {
    this.#counts[status] += 1;
  }

  /** @param overall The counts of the whole job. */
  soFar(overall: BulkCounts): BulkProgress {
    const { done, rejected, unknown, skipped } = this.#counts;
    const worked = done + rejected + unknown;
    return {
      ...this.#counts,
      overall,
      percent: this.#percent(worked + skipped),
      timeLeft: this.#timeLeft(worked),
    };
  }

  #percent(ended: number): number | undefined {
    if (this.#total === undefined) return undefined;
    return ended < this.#total ? (100 * ended) / this.#total : 100;
  }

  #timeLeft(worked: number): number | undefined {
    if (this.#total === undefined || worked === 0) return undefined;
    const elapsed = Math.max(0, steadyTime(this.#clock) - this.#start);
    return (elapsed / worked) * Math.max(0, this.#total - worked - this.#counts.skipped);
  }
}

/** The number of items in an array or a set; `undefined` for other inputs, whose length may mean something else. */
export function sizeOf(inputs: BulkInputs<unknown>): number | undefined {
  if (Array.isArray(inputs)) return inputs.length;
  if (Object.prototype.toString.call(inputs) !== '[object Set]') return undefined;
  const size: unknown = Reflect.get(inputs, 'size');
  return typeof size === 'number' ? size : undefined;
}
