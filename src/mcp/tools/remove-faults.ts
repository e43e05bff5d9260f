import * as z from 'zod/mini';
import { controlOperations } from '../../server/http/control/control-operations.js';
import { described, optionalText, record } from '../fields.js';
import { tool } from '../tool.js';

const { clear, list, remove } = controlOperations.faults;

export const removeFaults = tool({
  name: 'remove_faults',
  title: 'Remove faults',
  description:
    'Removes one fault rule by its id, or all rules, including those of the seed. What the faults did stays in the journal. ' +
    'To undo everything, use reset_workspace.',
  effects: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input: z.strictObject({ id: optionalText('The id of one rule. Default: all rules.') }),
  output: z.object({ remaining: described(z.array(record), 'The rules that still strike.') }),
  run: async ({ id }, call) => {
    await (id === undefined ? call.ask(clear) : call.ask(remove, { path: { id } }));
    const { data } = await call.ask(list);
    return { remaining: data.map((rule) => ({ ...rule })) };
  },
});
