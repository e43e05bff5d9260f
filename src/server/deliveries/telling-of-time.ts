import type { Clock } from '../../foundation/clock.js';
import type { DeliveryTimestamps } from '../model/environment.js';
import type { Attempts } from './attempts.js';
import { away, clocksOfReceivers, refusals, skewAt } from './refused-for-time.js';

/** The clocks that a receiver may use, and which one sets the timestamp of a delivery. */
interface Clocks extends Readonly<Record<DeliveryTimestamps, Clock>> {
  readonly stamps: () => DeliveryTimestamps;
}

/** Adds the likely reason to the error of a rejected attempt: a timestamp that the receiver considers too old or too new. */
export function tellingOfTime(attempts: Attempts, clocks: Clocks): Attempts {
  return {
    async make(claimed, attempt) {
      const outcome = await attempts.make(claimed, attempt);
      const reason = refusals.includes(outcome.status) ? whyRefused(attempt.body, clocks) : undefined;
      if (reason === undefined) return outcome;
      const likelier = outcome.status === 401 ? 'the secret of the receiver may be another one, or ' : '';
      return { ...outcome, error: `${outcome.error}; ${likelier}${reason}` };
    },
    close: () => attempts.close(),
  };
}

function whyRefused(body: Uint8Array, clocks: Clocks): string | undefined {
  for (const which of ['machine', 'workspace'] as const) {
    const skew = skewAt(body, clocks[which].now());
    if (skew === undefined) continue;
    const { clock, advice } = clocksOfReceivers[which];
    const refused = `its timestamp is ${away(skew)} ${clock}, so a receiver with that clock rejects it`;
    return clocks.stamps() === which ? refused : `${refused}: ${advice}`;
  }
  return undefined;
}
