import * as z from 'zod/mini';
import type { ChangeOperation } from '../model/journal-entry.js';
import { duration, instant } from '../seed/fields.js';
import type { ServerClock } from '../time/clock.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { change } from './change.js';
import { operation, orInvalid } from './operation.js';
import type * as Shapes from './shapes.js';

/** What a clock shows. */
export type ClockState = {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** The same in ISO 8601. */
  readonly time: string;
  readonly flow: 'frozen' | 'flowing';
  /** When the next waiting work is due. Milliseconds since the Unix epoch. Missing if no work waits. */
  readonly next?: number;
};

/** Returns what the clock shows after a move, or after other work. */
export async function clockAfter(live: LiveWorkspace, move?: Promise<unknown>): Promise<ClockState> {
  await move;
  await live.clock.lookAhead();
  const { isFrozen, next } = live.clock;
  const now = live.clock.now();
  return {
    now,
    time: new Date(now).toISOString(),
    flow: isFrozen ? 'frozen' : 'flowing',
    ...(next !== undefined && { next }),
  };
}

/** Returns the clock of a workspace. The journal has its moves. */
export function clockOf(live: LiveWorkspace): ServerClock {
  const { clock } = live;
  const before = () => new Date(clock.now()).toISOString();
  const move = (operation: ChangeOperation, given: readonly unknown[], moved: () => Promise<void>) =>
    change(live, { operation, given, before }, moved);
  return {
    now: () => clock.now(),
    get isFrozen() {
      return clock.isFrozen;
    },
    get next() {
      return clock.next;
    },
    setTimer: (callback, delay) => clock.setTimer(callback, delay),
    advance: (duration) => move('clock.advance', [duration], () => clock.advance(duration)),
    set: (instant) => move('clock.set', [instant], () => clock.set(instant)),
    runToIdle: () => move('clock.runToIdle', [], () => clock.runToIdle()),
    advanceToNext: () => move('clock.advanceToNext', [], () => clock.advanceToNext()),
    freeze: () => move('clock.freeze', [], () => clock.freeze()),
    flow: () => move('clock.flow', [], () => clock.flow()),
  };
}

/** The operations of the clock, whose methods a program calls. */
export const clockOperations = ({ clockSchema: result }: typeof Shapes) => ({
  now: operation('clock.now', 'GET', '/control/clock', {
    summary:
      "Returns the workspace's time, whether it flows, and when the next waiting work is due: `now` and `next` in epoch milliseconds.",
    result,
    rule: (live) => clockAfter(live),
  }),
  advance: operation('clock.advance', 'POST', '/control/clock/advance', {
    summary: 'Advances the time by a duration, such as 10s, and does all work that becomes due.',
    body: z.strictObject({ by: duration }),
    result,
    rule: (live, { body }) => orInvalid(() => clockAfter(live, clockOf(live).advance(body.by))),
  }),
  set: operation('clock.set', 'POST', '/control/clock/set', {
    summary: 'Advances the time to an instant, and does all work that becomes due.',
    body: z.strictObject({ to: instant }),
    result,
    rule: (live, { body }) => orInvalid(() => clockAfter(live, clockOf(live).set(body.to))),
  }),
  runToIdle: operation('clock.runToIdle', 'POST', '/control/clock/run-to-idle', {
    summary: 'Advances the time until no work waits.',
    result,
    rule: (live) => clockAfter(live, clockOf(live).runToIdle()),
  }),
  advanceToNext: operation('clock.advanceToNext', 'POST', '/control/clock/advance-to-next', {
    summary: 'Advances the time to the next waiting work, and does it. Does nothing if no work waits.',
    result,
    rule: (live) => clockAfter(live, clockOf(live).advanceToNext()),
  }),
  freeze: operation('clock.freeze', 'POST', '/control/clock/freeze', {
    summary: 'Freezes the clock at the current time. From then on, only requests advance it.',
    result,
    rule: (live) => clockAfter(live, clockOf(live).freeze()),
  }),
  flow: operation('clock.flow', 'POST', '/control/clock/flow', {
    summary: "Lets the time run with the machine's, from the current time on.",
    result,
    rule: (live) => clockAfter(live, clockOf(live).flow()),
  }),
});
