import * as z from 'zod/mini';
import { controlOperations } from '../../server/http/control/control-operations.js';
import type { Call } from '../control.js';
import { described, limit, optionalText, parameter } from '../fields.js';
import { latestOf } from '../latest.js';
import { fitting, shortened } from '../readable.js';
import { readingTool } from '../tool.js';

const { find } = controlOperations.journal;

const usual = 20;
const longestLine = 400;

export const readJournal = readingTool({
  name: 'read_journal',
  title: 'Read what happened',
  description:
    'Lists what happened in the workspace, a line per entry: API requests and why they were refused, sent templates, tracked ' +
    'events, inbound messages, delivery attempts, journeys, faults. Without `since` it returns the latest entries; with `since` ' +
    'the first ones after that number. For the bodies and the causes of an entry, use inspect_entry. For a delivery with its ' +
    'bytes, use list_deliveries. For something that has not happened yet, use wait_for.',
  input: z.strictObject({
    type: parameter(find, 'type'),
    operation: parameter(find, 'operation'),
    requestId: parameter(find, 'requestId'),
    since: z.optional(
      described(
        z.int().check(z.gte(0, 'must be 0 or more')),
        'The number of the last entry that you have already.',
      ),
    ),
    limit: limit(100, usual),
  }),
  output: z.object({
    entries: z.array(z.object({ number: z.int(), line: z.string() })),
    older: described(z.optional(z.int()), 'How many entries match and are older than these.'),
    more: described(z.optional(z.boolean()), 'Whether later entries match. Read on with `since`.'),
    hint: optionalText('What to do next.'),
  }),
  run: async ({ since, limit: most = usual, ...filter }, call) => {
    if (since === undefined) {
      const { items, older } = await latestOf(call, find, filter, { limit: most });
      const entries = fitting(linesOf(items, call), 'end');
      const left = older + items.length - entries.length;
      return { entries, older: left, ...(entries.length === 0 && { hint: nothing(filter) }) };
    }
    const page = await call.ask(find, { query: { ...filter, since, limit: most } });
    const entries = fitting(linesOf(page.data, call), 'start');
    return {
      entries,
      more: page.more || entries.length < page.data.length,
      ...(entries.length === 0 && {
        hint: `Nothing that matches happened after entry ${since}. Use wait_for to wait for it.`,
      }),
    };
  },
});

function linesOf(entries: readonly { readonly number: number }[], call: Call) {
  return entries.map((entry) => ({
    number: entry.number,
    line: shortened(call.describe(entry), longestLine),
  }));
}

function nothing(filter: Readonly<Record<string, unknown>>): string {
  return Object.values(filter).some((value) => value !== undefined)
    ? 'No entry matches. Try again with fewer filters.'
    : 'Nothing has happened yet. Use send_as_contact, or call the API under test.';
}
