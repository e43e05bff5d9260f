import * as z from 'zod/mini';
import { controlOperations } from '../../server/http/control/control-operations.js';
import { bodyOf, hint, record } from '../fields.js';
import { tool } from '../tool.js';

const { add } = controlOperations.faults;

export const injectFault = tool({
  name: 'inject_fault',
  title: 'Inject a fault',
  description:
    'Adds a fault rule with exactly one of `operation` and `delivery`, to see how the application under test copes: errors, rate limits, latency, broken connections or drifted ' +
    'responses of API requests (`operation`), or failing, late, duplicate or tampered webhook deliveries (`delivery`). It ' +
    'strikes until remove_faults, or `times` times. Example: {"operation":"transactional.send","times":1,"fault":{"kind":' +
    '"status","status":503}}. workspace_status lists the rules and how often they struck.',
  effects: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  input: z.strictObject({ rule: bodyOf(add) }),
  output: z.object({ id: z.string(), rule: record, hint }),
  run: async ({ rule }, call) => {
    const { id, rule: added } = await call.ask(add, { body: rule });
    return { id, rule: { ...added }, hint: `remove_faults with id=${id} ends it.` };
  },
});
