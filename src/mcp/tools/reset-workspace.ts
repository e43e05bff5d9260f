import * as z from 'zod/mini';
import { controlOperations } from '../../server/http/control/control-operations.js';
import { tool } from '../tool.js';

const { workspace, clock } = controlOperations;

export const resetWorkspace = tool({
  name: 'reset_workspace',
  title: 'Reset the workspace',
  description:
    'Puts the workspace back to its seed: removes all contacts, messages, deliveries, subscriptions and faults that came later, ' +
    'empties the journal and starts the clock again. The API keys stay. Cannot be undone. To remove only faults, use remove_faults.',
  effects: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input: z.strictObject({}),
  output: z.object({ reset: z.boolean(), time: z.string() }),
  run: async (_, call) => {
    await call.ask(workspace.reset);
    const { time } = await call.ask(clock.now);
    return { reset: true, time };
  },
});
