import * as z from 'zod/mini';
import type { ClockState } from '../../server/subjects/clock.js';
import { controlOperations } from '../../server/subjects/control-operations.js';
import { bodyOf, deliveryId, optionalText } from '../fields.js';
import { checked, type ToolCall, ToolFailure, tool } from '../tool.js';

/** The tools that change the workspace. */

const { clock, deliveries, faults, simulate, workspace } = controlOperations;

export const sendAsContact = tool({
  name: 'send_as_contact',
  description:
    'Sends a message FROM a contact TO the workspace, as if the person wrote in the chat. Subscribed webhooks get ' +
    'message.received. The body START or STOP changes the consent of the contact. Not for sending a message to a contact: ' +
    'the application under test does that through the API (POST /v1/transactional).',
  effect: 'adds',
  input: bodyOf(simulate.inboundMessage),
  run: async (message, call) => ({
    ...(await call.ask(simulate.inboundMessage, { body: message })),
    hint: 'Webhooks are delivered in the background. Use wait_for with what=delivery, or list_deliveries.',
  }),
});

export const redeliver = tool({
  name: 'redeliver',
  description:
    'Sends the same bytes of a delivery to the same subscription again, as a new delivery. Use it after you fixed the receiver. ' +
    'A pending delivery is retried without it: use advance_clock with to=next. For a new message, use send_as_contact.',
  effect: 'adds',
  input: z.strictObject({ id: deliveryId }),
  run: async (path, call) => {
    const { id, event, status } = await call.ask(deliveries.redeliver, { path });
    const hint = `The attempt runs in the background: list_deliveries with id=${id} shows how it ends.`;
    return { id, redeliveryOf: path.id, event, status, hint };
  },
});

export const advanceClock = tool({
  name: 'advance_clock',
  description:
    'Moves the clock of the workspace forward and runs all work that becomes due on the way: delivery retries, waits of ' +
    'journeys, simulated latencies. Returns when that work is done. The clock cannot go back; reset_workspace starts it ' +
    'again. Not for waiting in real time: use wait_for.',
  effect: 'advances',
  input: z.strictObject({
    by: optionalText('A duration in ms, s, m, h or d, such as 10s. Either `by` or `to` is required.'),
    to: optionalText(
      '"next" for the next waiting work, "idle" until no work waits, or an instant such as 2026-02-01T00:00:00Z.',
    ),
  }),
  run: async ({ by, to }, call) => {
    const { time, flow, next } = await moved(by, to, call);
    if (next === undefined) return { time, flow, hint: 'No work waits. read_journal shows what happened.' };
    const hint = 'More work waits: advance_clock with to=next runs it. read_journal shows what happened.';
    return { time, flow, next: new Date(next).toISOString(), hint };
  },
});

async function moved(by: string | undefined, to: string | undefined, call: ToolCall): Promise<ClockState> {
  if ((by === undefined) === (to === undefined)) {
    throw new ToolFailure(
      'Invalid arguments: exactly one of by and to is required, such as by=10s or to=next.',
    );
  }
  if (to === undefined) return call.ask(clock.advance, { body: checked(bodyOf(clock.advance), { by }) });
  if (to === 'next') return call.ask(clock.advanceToNext);
  if (to === 'idle') return call.ask(clock.runToIdle);
  return call.ask(clock.set, { body: checked(bodyOf(clock.set), { to }) });
}

export const injectFault = tool({
  name: 'inject_fault',
  description:
    'Adds a fault rule with exactly one of `operation` and `delivery`, to see how the application under test copes: errors, rate limits, latency, broken connections or drifted ' +
    'responses of API requests (`operation`), or failing, late, duplicate or tampered webhook deliveries (`delivery`). It ' +
    'is injected until remove_faults, or `times` times. Example: {"operation":"transactional.send","times":1,"fault":{"kind":' +
    '"status","status":503}}. workspace_status lists the rules and how often each was injected.',
  effect: 'adds',
  input: z.strictObject({ rule: bodyOf(faults.add) }),
  run: async ({ rule: body }, call) => {
    const { id, rule } = await call.ask(faults.add, { body });
    return { id, rule, hint: `remove_faults with id=${id} ends it.` };
  },
});

export const removeFaults = tool({
  name: 'remove_faults',
  description:
    'Removes one fault rule by its id, or all rules, including those of the seed, and returns the remaining rules. What the ' +
    'faults did stays in the journal. To undo everything, use reset_workspace.',
  effect: 'removes',
  input: z.strictObject({ id: optionalText('The id of one rule. Default: all rules.') }),
  run: async ({ id }, call) => {
    await (id === undefined ? call.ask(faults.clear) : call.ask(faults.remove, { path: { id } }));
    const { data } = await call.ask(faults.list);
    return { remaining: data };
  },
});

export const resetWorkspace = tool({
  name: 'reset_workspace',
  description:
    'Puts the workspace back to its seed: removes all contacts, messages, deliveries, subscriptions and faults that came later, ' +
    'empties the journal and starts the clock again. The API keys stay. Cannot be undone. To remove only faults, use remove_faults.',
  effect: 'removes',
  input: z.strictObject({}),
  run: async (_, call) => {
    await call.ask(workspace.reset);
    const { time } = await call.ask(clock.now);
    return { reset: true, time };
  },
});
