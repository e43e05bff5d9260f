import { momentOf } from '../../contract/timestamp.js';
import { type Clock, systemClock } from '../../foundation/clock.js';
import { WebhookVerificationError } from './verification-error.js';

/**
 * How far a delivery's signed timestamp may lie from this machine's clock, in milliseconds.
 */
export interface ReplayTolerance {
  /**
   * How old a delivery may be. 24 hours by default: a retry has the bytes, and so the timestamp, of the first
   * attempt, and must not be refused for the time that lies between.
   */
  readonly past?: number | undefined;
  /** How far ahead a delivery may be, for clocks that differ. Five minutes by default. */
  readonly future?: number | undefined;
}

const defaultPast = 24 * 60 * 60 * 1000;
const defaultFuture = 5 * 60 * 1000;

/** Throws a WebhookVerificationError for a timestamp outside the window. */
export function checkReplayWindow(
  timestamp: string,
  tolerance: ReplayTolerance | false = {},
  clock: Pick<Clock, 'now'> = systemClock,
): void {
  if (tolerance === false) return;
  const past = readLimit('past', tolerance.past, defaultPast);
  const future = readLimit('future', tolerance.future, defaultFuture);
  const skew = clock.now() - (momentOf(timestamp) ?? Number.NaN);
  // Written so that a clock which gives no number refuses everything, instead of nothing. So does a time that is none.
  if (!(skew <= past)) {
    throw new WebhookVerificationError(
      'too_old',
      `The delivery is authentic, but ${skew} ms old where ${past} ms are allowed: it may be a replay. ` +
        'If a queue held it back, raise tolerance.past; if not, check this clock.',
      skew,
    );
  }
  if (-skew > future) {
    throw new WebhookVerificationError(
      'too_new',
      `The delivery is authentic, but ${-skew} ms ahead of this clock where ${future} ms are allowed. ` +
        'Check this clock, or raise tolerance.future.',
      skew,
    );
  }
}

/** For how long a delivery can be let in, in milliseconds. Throws a TypeError for a tolerance that is no number. */
export function replayWindowLength(tolerance: ReplayTolerance | false = {}): number {
  if (tolerance === false) return Number.POSITIVE_INFINITY;
  return (
    readLimit('past', tolerance.past, defaultPast) + readLimit('future', tolerance.future, defaultFuture)
  );
}

function readLimit(name: keyof ReplayTolerance, given: number | undefined, standard: number): number {
  const limit = given ?? standard;
  if (typeof limit === 'number' && limit >= 0) return limit;
  throw new TypeError(`tolerance.${name} must be a number of milliseconds, zero or more.`);
}
