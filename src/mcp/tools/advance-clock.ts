import * as z from 'zod/mini';
import { controlOperations } from '../../server/http/control/control-operations.js';
import type { ClockAnswer } from '../../server/http/control/shapes.js';
import { checked } from '../checked.js';
import type { Call } from '../control.js';
import { bodyOf, described, hint, optionalText } from '../fields.js';
import { tool } from '../tool.js';
import { ToolFailure } from '../tool-failure.js';

const { clock } = controlOperations;

interface Move {
  readonly by?: string | undefined;
  readonly to?: string | undefined;
}

export const advanceClock = tool({
  name: 'advance_clock',
  title: 'Advance the clock',
  description:
    'Moves the clock of the workspace forward and runs all work that becomes due on the way: delivery retries, waits of ' +
    'journeys, simulated latencies. Returns when that work is done. The clock cannot go back; reset_workspace starts it ' +
    'again. Not for waiting in real time: use wait_for.',
  effects: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  input: z.strictObject({
    by: optionalText('A duration in ms, s, m, h or d, such as 10s. Either `by` or `to` is required.'),
    to: optionalText(
      '"next" for the next waiting work, "idle" until no work waits, or an instant such as 2026-02-01T00:00:00Z.',
    ),
  }),
  output: z.object({
    time: z.string(),
    flow: z.string(),
    next: described(z.optional(z.string()), 'When the next waiting work is due.'),
    hint,
  }),
  run: async (move, call) => {
    const { time, flow, next } = await moved(move, call);
    return {
      time,
      flow,
      ...(next !== undefined && { next: new Date(next).toISOString() }),
      hint:
        next === undefined
          ? 'No work waits. read_journal shows what happened.'
          : 'More work waits: advance_clock with to=next runs it. read_journal shows what happened.',
    };
  },
});

async function moved({ by, to }: Move, call: Call): Promise<ClockAnswer> {
  if (by !== undefined && to === undefined)
    return call.ask(clock.advance, { body: checked(bodyOf(clock.advance), { by }) });
  if (to === undefined || by !== undefined) {
    throw new ToolFailure(
      'Invalid arguments: exactly one of by and to is required, such as by=10s or to=next.',
    );
  }
  if (to === 'next') return call.ask(clock.advanceToNext);
  if (to === 'idle') return call.ask(clock.runToIdle);
  return call.ask(clock.set, { body: checked(bodyOf(clock.set), { to }) });
}
