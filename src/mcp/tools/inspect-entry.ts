import * as z from 'zod/mini';
import { controlOperations } from '../../server/http/control/control-operations.js';
import { described, record } from '../fields.js';
import { readingTool } from '../tool.js';

export const inspectEntry = readingTool({
  name: 'inspect_entry',
  title: 'Inspect a journal entry',
  description:
    'Returns one journal entry whole: the bodies of the request and of its response, what caused the entry, what it caused, and ' +
    'a curl command, code and a Vitest test that repeat it. To find the number, use read_journal. For why a delivery ' +
    'failed, use explain_delivery.',
  input: z.strictObject({
    number: described(
      z.int().check(z.gte(1, 'must be 1 or more')),
      'The number of the entry, from read_journal.',
    ),
  }),
  output: z.object({
    number: z.int(),
    entry: record,
    causes: described(
      z.array(z.object({ number: z.int(), line: z.string() })),
      'The entries that caused this one.',
    ),
    effects: described(
      z.array(z.object({ number: z.int(), line: z.string() })),
      'The entries that this one caused.',
    ),
    copies: described(
      record,
      'The same again, as a curl command, as code and as a test. Replace the masked phone numbers.',
    ),
  }),
  run: async ({ number }, call) => {
    const { entry, causes, effects, copies } = await call.ask(controlOperations.journal.inspect, {
      path: { number: String(number) },
    });
    const line = (each: { readonly number: number }) => ({ number: each.number, line: call.describe(each) });
    return {
      number,
      entry: { ...entry },
      causes: causes.map(line),
      effects: effects.map(line),
      copies: { ...copies },
    };
  },
});
