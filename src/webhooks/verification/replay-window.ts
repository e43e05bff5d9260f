import { momentOf } from '../../contract/timestamp.js';
import { type Clock, systemClock } from '../../foundation/clock.js';
import { WebhookVerificationError } from './verification-error.js';

/**
 * How far the signed timestamp of a delivery may differ from the clock, in milliseconds.
 */
export interface ReplayTolerance {
  /**
   * How old a delivery may be. A retry has the same bytes, and so the same timestamp, as the first attempt, and must not be too old.
   * Default: 24 hours.
   */
  readonly past?: number | undefined;
  /** How far ahead of the clock a delivery may be, because clocks differ. Default: 5 minutes. */
  readonly future?: number | undefined;
}

export const defaultPast = 24 * 60 * 60 * 1000;
export const defaultFuture = 5 * 60 * 1000;

/** Throws a WebhookVerificationError for a timestamp outside the window. */
export function checkReplayWindow(
  timestamp: string,
  tolerance: ReplayTolerance | false = {},
  clock: Pick<Clock, 'now'> = systemClock,
): void {
  if (tolerance === false) return;
  const { past = defaultPast, future = defaultFuture } = tolerance;
  const skew = clock.now() - (momentOf(timestamp) ?? Number.NaN);
  // Negated, so that everything is refused if the clock or the timestamp is not a number.
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
