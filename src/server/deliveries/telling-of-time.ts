import type { Clock } from '../../foundation/clock.js';
import { unwrapVerified } from '../../webhooks/verification/unwrap.js';
import { WebhookVerificationError } from '../../webhooks/verification/verification-error.js';
import type { DeliveryTimestamps } from '../model/environment.js';
import type { Attempts } from './attempts.js';

/** The clocks that a receiver may use, and which of them sets the timestamp of a delivery. */
interface Clocks extends Readonly<Record<DeliveryTimestamps, Clock>> {
  readonly stamps: DeliveryTimestamps;
}

/** The statuses of receivers that refuse a delivery. 500: the receiver did not catch the error of its verifier. */
const refusals: readonly unknown[] = [400, 401, 403, 422, 500];

/** Adds the likely reason to the error of a refused attempt: a timestamp that a receiver considers too old or too new. */
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

/** For each clock of a receiver: its name, and the advice for timestamps of the other clock. */
const receivers = {
  machine: {
    clock: "the machine's clock",
    advice:
      "create the receiver with clock: workspace.clock, or the workspace with deliveryTimestamps: 'machine'",
  },
  workspace: {
    clock: "this workspace's clock",
    advice: "create the receiver without clock, or the workspace with deliveryTimestamps: 'workspace'",
  },
};

function whyRefused(body: Uint8Array, clocks: Clocks): string | undefined {
  for (const which of ['machine', 'workspace'] as const) {
    const skew = skewOf(body, clocks[which]);
    if (skew === undefined) continue;
    const { clock, advice } = receivers[which];
    const away = `${inWords(Math.abs(skew))} ${skew < 0 ? 'ahead of' : 'behind'} ${clock}`;
    const refused = `its timestamp is ${away}, so a receiver with that clock refuses it`;
    return clocks.stamps === which ? refused : `${refused}: ${advice}`;
  }
  return undefined;
}

/** How far the timestamp is behind the clock, in milliseconds. Undefined if a receiver with that clock accepts it. */
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

/** Formats a length of time, rounded, such as `25 h`. */
function inWords(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  if (minutes >= 2 * minutesOfDay) return `${Math.round(minutes / minutesOfDay)} d`;
  if (minutes >= 2 * minutesOfHour) return `${Math.round(minutes / minutesOfHour)} h`;
  return `${minutes} min`;
}
