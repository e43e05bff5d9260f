import type { RequestError } from '../errors/request-error.js';

/**
 * What became of one item of a bulk run.
 *
 * - `done`: the call succeeded; `data` is what it gives.
 * - `rejected`: nothing was done for this item. `error.outcome` is `rejected`, or `not_sent`.
 * - `unknown`: it may have been carried out: by this run, or by an earlier one that was cut short. Find out before
 *   you repeat a send.
 */
export type BulkOutcome<Input, Data> =
  | {
      readonly status: 'done';
      /** The item's place in the input, counted from 0. */
      readonly index: number;
      /** The item as it came. It may hold a phone number: mind where you log it. */
      readonly input: Input;
      /** What the call gives. */
      readonly data: Data;
    }
  | {
      readonly status: 'rejected' | 'unknown';
      /** The item's place in the input, counted from 0. */
      readonly index: number;
      /** The item as it came. It may hold a phone number: mind where you log it. */
      readonly input: Input;
      /** Why. Like any error of a call it holds no key and no whole phone number. */
      readonly error: RequestError;
    };

/** How many items of a bulk job ended in which way. */
export interface BulkCounts {
  /** Items that were carried out. */
  readonly done: number;
  /** Items for which nothing was done. */
  readonly rejected: number;
  /** Items that may have been carried out. */
  readonly unknown: number;
}

/** How far a bulk run has come. `done`, `rejected` and `unknown` count the outcomes of this run. */
export interface BulkProgress extends BulkCounts {
  /** Items that this run passed over, because by the checkpoint an earlier run had closed them. */
  readonly skipped: number;
  /**
   * The counts of the whole job: of this run and those before it, by the checkpoint. An item that stays open for the
   * next run is in none of them.
   */
  readonly overall: BulkCounts;
  /** How much of the input is behind the run, from 0 to 100; `undefined` where `total` is not known. */
  readonly percent: number | undefined;
  /**
   * How long the rest will take in milliseconds if it goes on as in this run so far, pauses included; `undefined`
   * where `total` is not known, or before the first item has ended.
   */
  readonly timeLeft: number | undefined;
}

/**
 * Why a bulk run ended before its input did, and where. Items that it did not carry out stay open for the next run.
 *
 * - `quota_exceeded`: 402; no send would succeed until there is quota again.
 * - `not_authorized`: 401 or 403; nothing would succeed with this key.
 * - `rate_limited`: the service let nothing through for as long as `patience` allows, or asked for a longer wait.
 * - `service_unavailable`: `stopAfter` items in a row failed for a cause outside of them: no connection, a timeout, a
 *   5xx, an answer that is not the service's own.
 * - `template_rejected`: `stopAfter` sends of one template in a row were refused, as for a template that is not approved.
 * - `all_rejected`: the first `stopAfter` items were all refused, with one and the same code.
 * - `aborted`: your `signal` aborted; `error` is its reason.
 * - `input_failed`: reading the input threw `error`.
 * - `checkpoint_failed`: saving the checkpoint threw `error`, and nothing goes out that is not recorded.
 * - `iteration_ended`: you left the loop over the outcomes.
 */
export interface BulkStop {
  /** What ended it. */
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
  /** What lies beneath: the error that an item met, the signal's reason, or what your own code threw. */
  readonly error: unknown;
  /** The item that met it; where none did, the first that was not read from the input. Counted from 0. */
  readonly index: number;
}

/** What became of a whole bulk run. */
export interface BulkSummary extends BulkProgress {
  /** Why it ended early; `undefined` when it came to the end of its input. */
  readonly stoppedBecause: BulkStop | undefined;
}
