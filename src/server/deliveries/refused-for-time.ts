import { unwrapVerified } from '../../webhooks/verification/unwrap.js';
import { WebhookVerificationError } from '../../webhooks/verification/verification-error.js';
import type { DeliveryTimestamps } from '../model/environment.js';

/** The statuses with which receivers reject a delivery for its timestamp. Those of this package have 400. */
export const refusals: readonly unknown[] = [400, 401, 403, 422];

/** For each clock that a receiver may use: its name, and the advice if the other clock sets the timestamps. */
export const clocksOfReceivers: Readonly<
  Record<DeliveryTimestamps, { readonly clock: string; readonly advice: string }>
> = {
  machine: {
    clock: "the machine's clock",
    advice:
      "create the receiver with clock: workspace.clock, or the workspace with deliveryTimestamps: 'machine' (serve --delivery-timestamps machine)",
  },
  workspace: {
    clock: "this workspace's clock",
    advice:
      "create the receiver without clock, or the workspace with deliveryTimestamps: 'workspace' (serve --delivery-timestamps workspace)",
  },
};

/** Returns how far the timestamp is behind a clock, in milliseconds. Undefined if a receiver accepts it at the time `now`. */
export function skewAt(body: Uint8Array, now: number): number | undefined {
  try {
    unwrapVerified(body, { clock: { now: () => now }, validation: 'off' });
    return undefined;
  } catch (error) {
    return error instanceof WebhookVerificationError ? error.skew : undefined;
  }
}

/** Describes a difference, such as `2 d ahead of`. */
export function away(skew: number): string {
  return `${inWords(Math.abs(skew))} ${skew < 0 ? 'ahead of' : 'behind'}`;
}

const minutesOfHour = 60;
const minutesOfDay = 24 * minutesOfHour;

/** Formats a length of time, rounded, such as `25 h`. */
export function inWords(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  if (minutes >= 2 * minutesOfDay) return `${Math.round(minutes / minutesOfDay)} d`;
  if (minutes >= 2 * minutesOfHour) return `${Math.round(minutes / minutesOfHour)} h`;
  return `${minutes} min`;
}
