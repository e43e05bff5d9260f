import type { RequestError } from '../errors/request-error.js';

/**
 * The outcome of one item of a bulk run.
 *
 * - `done`: the call succeeded; `data` is its result.
 * - `rejected`: nothing was done for this item. `error.outcome` is `rejected` or `not_sent`.
 *   If an earlier item of its contact stays open for the next run, so does this one, and `error` says which.
 * - `unknown`: the item may have been carried out, by this run or by an earlier one that was interrupted. Check before
 *   you repeat a send.
 */
export type BulkOutcome<Input, Data> =
  | {
      readonly status: 'done';
      /** The index of the item in the input, counted from 0. */
      readonly index: number;
      /** The item from the input. It may contain a phone number: be careful where you log it. */
      readonly input: Input;
      /** The result of the call. */
      readonly data: Data;
    }
  | {
      readonly status: 'rejected' | 'unknown';
      /** The index of the item in the input, counted from 0. */
      readonly index: number;
      /** The item from the input. It may contain a phone number: be careful where you log it. */
      readonly input: Input;
      /** Why. Like every error of a call, it contains no key and no whole phone number. */
      readonly error: RequestError;
    };

/** Counts of the items of a bulk job by outcome. */
export type BulkCounts = {
  /** Items that were carried out. */
  readonly done: number;
  /** Items for which nothing was done. */
  readonly rejected: number;
  /** Items that may have been carried out. */
  readonly unknown: number;
};

/** The progress of a bulk run. `done`, `rejected` and `unknown` count the outcomes of this run. */
export interface BulkProgress extends BulkCounts {
  /** Items that this run skipped because the checkpoint records them as closed by an earlier run. */
  readonly skipped: number;
  /**
   * The counts of the whole job: this run and all earlier runs with the same checkpoint. They exclude items that stay
   * open for the next run.
   */
  readonly overall: BulkCounts;
  /** How much of the input is processed, from 0 to 100; `undefined` if `total` is unknown. */
  readonly percent: number | undefined;
  /**
   * The estimated remaining time in milliseconds, at the average rate of this run, pauses included; `undefined` if
   * `total` is unknown or no item has ended yet.
   */
  readonly timeLeft: number | undefined;
}

/**
 * Why a bulk run ended before the end of its input, and where. Items that it did not carry out stay open for the next
 * run.
 *
 * - `quota_exceeded`: 402. No send succeeds until there is quota again.
 * - `not_authorized`: 401 or 403, or the client has no key or no base URL. No call can succeed.
 * - `rate_limited`: the service rejected every request for as long as `maxRateLimitWait` allows, or asked for a longer wait.
 * - `service_unavailable`: `maxConsecutiveFailures` consecutive items failed for a cause outside the items: no connection, a
 *   timeout, a 5xx, a response that does not come from the service, or a guard or an idempotency store that fails.
 * - `template_rejected`: `maxConsecutiveFailures` consecutive sends of one template were rejected, for example because it is not
 *   approved.
 * - `all_rejected`: the first `maxConsecutiveFailures` items were all rejected with the same code.
 * - `aborted`: your `signal` aborted; `error` is its reason.
 * - `input_failed`: reading the input threw `error`.
 * - `checkpoint_failed`: saving the checkpoint threw `error`. The run sends nothing that it cannot record.
 * - `iteration_ended`: you left the loop over the outcomes.
 */
export type BulkStop = {
  /** The cause. */
  readonly reason:
    | 'quota_exceeded'
    | 'not_authorized'
    | 'rate_limited'
    | 'service_unavailable'
    | 'template_rejected'
    | 'all_rejected'
    | 'aborted'
    | 'input_failed'
    | 'checkpoint_failed'
    | 'iteration_ended';
  /** The underlying error: the error of an item, the reason of the signal, or what your own code threw. */
  readonly error: unknown;
  /** The index of the item that failed, or else of the first item that was not read. Counted from 0. */
  readonly index: number;
};

/** The result of a whole bulk run. */
export interface BulkSummary extends BulkProgress {
  /** Why the run ended early; `undefined` if it reached the end of its input. */
  readonly stoppedBecause: BulkStop | undefined;
}
