import type { RequestError } from '../errors/request-error.js';

/**
 * What became of one item of a bulk run.
 *
 * - `done`: the call succeeded; `data` is what it gives.
 * - `rejected`: nothing was done for this item. `error.outcome` is `rejected`, or `not_sent`.
 * - `unknown`: it may have been carried out: by this run, or by an earlier one that was cut short. Find out before
 *   you repeat a send.
 *
 * @example
 * ```ts
 * import type { BulkOutcome } from 'messaging-automation';
 *
 * const describe = (outcome: BulkOutcome<unknown, unknown>): string =>
 *   `item ${outcome.index}: ${outcome.status === 'done' ? 'done' : outcome.error.message}`;
 * ```
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

/**
 * How far a bulk run has come, told after each item that it worked on.
 *
 * @example
 * ```ts
 * import type { BulkProgress } from 'messaging-automation';
 *
 * const total = 1_000_000;
 * const percent = ({ skipped, done, rejected, unknown }: BulkProgress) =>
 *   Math.floor((100 * (skipped + done + rejected + unknown)) / total);
 * ```
 */
export interface BulkProgress {
  /** Items that were carried out. */
  readonly done: number;
  /** Items for which nothing was done. */
  readonly rejected: number;
  /** Items that may have been carried out. */
  readonly unknown: number;
  /** Items passed over, because by the checkpoint an earlier run had finished with them. */
  readonly skipped: number;
}

/**
 * Why a bulk run ended before its input did, and where.
 *
 * - `quota_exceeded`: 402; no send would succeed until there is quota again.
 * - `not_authorized`: 401 or 403; nothing would succeed with this key.
 * - `aborted`: your `signal` aborted; `error` is its reason.
 * - `input_failed`: reading the input threw `error`.
 * - `checkpoint_failed`: saving the checkpoint threw `error`, and nothing goes out that is not recorded.
 * - `iteration_ended`: the loop over the outcomes was left early.
 *
 * @example
 * ```ts
 * import type { BulkStop } from 'messaging-automation';
 *
 * const advice = ({ reason, index }: BulkStop): string =>
 *   reason === 'quota_exceeded' ? `Add quota, then run it again: it stopped at item ${index}.` : reason;
 * ```
 */
export interface BulkStop {
  /** What ended it. */
  readonly reason:
    | 'quota_exceeded'
    | 'not_authorized'
    | 'aborted'
    | 'input_failed'
    | 'checkpoint_failed'
    | 'iteration_ended';
  /** What lies beneath: the error that an item met, the signal's reason, or what your own code threw. */
  readonly error: unknown;
  /** The item that met it; where none did, the first that was not read from the input. Counted from 0. */
  readonly index: number;
}

/**
 * What became of a whole bulk run.
 *
 * @example
 * ```ts
 * import { type BulkSummary, MessagingAutomation } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * const summary: BulkSummary = await messaging.contacts.upsertMany([{ phone: '+15551234567' }]);
 * if (summary.stoppedBecause) throw summary.stoppedBecause.error;
 * console.log(summary.done, summary.rejected, summary.unknown);
 * ```
 */
export interface BulkSummary extends BulkProgress {
  /** Why it ended early; `undefined` when it came to the end of its input. */
  readonly stoppedBecause: BulkStop | undefined;
}
