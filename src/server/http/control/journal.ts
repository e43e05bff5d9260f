import * as z from 'zod/mini';
import { jsonAnswer } from '../../answers/answer.js';
import type { JournalEntry } from '../../model/journal-entry.js';
import type { Application } from '../application.js';
import { readSearch } from '../validation.js';
import { entryAsJson } from './as-json.js';

const types = [
  'request',
  'fault',
  'send',
  'event',
  'message',
  'attempt',
  'journey',
] as const satisfies readonly JournalEntry['type'][];

const wholeNumber = z.pipe(
  z.string().check(z.regex(/^\d{1,15}$/, 'must be a whole number')),
  z.transform(Number),
);

const querySchema = z.strictObject({
  type: z.optional(z.enum(types)),
  /** The number of the last entry that is known already. */
  since: z.optional(wholeNumber),
  limit: z.optional(wholeNumber),
});

/** What has happened in the workspace, oldest first, to be read on from where one stopped. */
export function serveJournal(application: Application): void {
  application.handle('GET', '/control/journal', async ({ request }, { history }) => {
    const { type, since = 0, limit } = readSearch(request, querySchema);
    const data = history
      .entriesAfter(since)
      .filter(([, entry]) => type === undefined || entry.type === type)
      .slice(0, limit)
      .map(([number, entry]) => ({ number, ...entryAsJson(entry) }));
    return jsonAnswer(200, { data });
  });
}
