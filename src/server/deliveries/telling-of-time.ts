import type { Clock } from '../../foundation/clock.js';
import { unwrapVerified } from '../../webhooks/verification/unwrap.js';
import { WebhookVerificationError } from '../../webhooks/verification/verification-error.js';
import type { DeliveryTimestamps } from '../model/environment.js';
import type { Attempts } from './attempts.js';

/** The clocks that a receiver may live by, and which of them the deliveries are stamped by. */
interface Clocks extends Readonly<Record<DeliveryTimestamps, Clock>> {
  readonly stamps: DeliveryTimestamps;
}

/** What receivers answer to a delivery that they do not trust; 500 where the error of the verifying is not caught. */
const refusals: readonly unknown[] = [400, 401, 403, 422, 500];

/** The same attempts. One that is refused says so where its timestamp is one that receivers refuse. */
export function tellingOfTime(attempts: Attempts, clocks: Clocks): Attempts {
  return {
    async make(claimed, attempt) {
      const outcome = await attempts.make(claimed, attempt);
      const reason = refusals.includes(outcome.status) ? whyRefused(attempt.body, clocks) : undefined;
      return reason === undefined ? outcome : { ...outcome, error: `${outcome.error}; ${reason}` };
    },
    close: () => attempts.close(),
  };
}

/** By the clock that a receiver lives by: what it is called, and what to do where deliveries are stamped by the other one. */
const receivers = {
  machine: {
    clock: "the machine's clock",
    advice: "give the receiver clock: workspace.clock, or the workspace deliveryTimestamps: 'machine'",
  },
  workspace: {
    clock: "this workspace's clock",
    advice: "leave the receiver's clock out, or give the workspace deliveryTimestamps: 'workspace'",
  },
};

function whyRefused(body: Uint8Array, clocks: Clocks): string | undefined {
  for (const which of ['machine', 'workspace'] as const) {
    const skew = skewOf(body, clocks[which]);
    if (skew === undefined) continue;
    const { clock, advice } = receivers[which];
    const away = `${inWords(Math.abs(skew))} ${skew < 0 ? 'ahead of' : 'behind'} ${clock}`;
    const refused = `its timestamp is ${away}, and a receiver by that clock refuses it`;
    return clocks.stamps === which ? refused : `${refused}: ${advice}`;
  }
  return undefined;
}

/** How far the timestamp lies behind a clock by which a receiver would refuse it; undefined where none would for that. */
function skewOf(body: Uint8Array, clock: Clock): number | undefined {
  try {
    unwrapVerified(body, { clock, validation: 'off' });
    return undefined;
  } catch (error) {
    return error instanceof WebhookVerificationError ? error.skew : undefined;
  }
}

const minutesOfHour = 60;
const minutesOfDay = 24 * minutesOfHour;

/** A length of time, rounded, as in `25 h`. */
function inWords(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  if (minutes >= 2 * minutesOfDay) return `${Math.round(minutes / minutesOfDay)} d`;
  if (minutes >= 2 * minutesOfHour) return `${Math.round(minutes / minutesOfHour)} h`;
  return `${minutes} min`;
}
