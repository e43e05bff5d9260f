import { remedyOfRequest } from '../explanation/remedy.js';
import { copiesOf } from '../inspection/copies.js';
import { type EntryInspection, relationsOf } from '../inspection/inspection.js';
import type { RequestEntry } from '../model/journal-entry.js';
import { allOf } from '../model/page.js';
import { ServiceError } from '../model/service-error.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';

/** The default address of `serve`. */
const defaultOrigin = 'http://127.0.0.1:4010';

/** Inspects an entry of the journal. Throws if the journal has no entry with this number. */
export async function inspectEntry(
  live: LiveWorkspace,
  number: number,
  origin = defaultOrigin,
): Promise<EntryInspection> {
  await live.sharing.current();
  const journal = live.history.entriesAfter(0).map(([each, entry]) => ({ number: each, ...entry }));
  const entry = journal.find((each) => each.number === number);
  if (entry === undefined) {
    throw new ServiceError('not_found', 'The journal has no entry with this number, or has dropped it.');
  }
  const relations = relationsOf(entry, journal);
  const contacts = await allOf((range) => live.context.store.contacts.page({}, range));
  const remedy = entry.type === 'request' ? await remedyOf(live, entry) : undefined;
  return {
    number,
    entry,
    ...relations,
    copies: copiesOf(entry, { journal, contacts }, origin),
    ...(remedy !== undefined && { remedy }),
  };
}

async function remedyOf({ context, faults }: LiveWorkspace, entry: RequestEntry) {
  const { sends, templates } = context.store;
  const [quota, all] = await Promise.all([sends.readQuota(), templates.list()]);
  return remedyOfRequest({ entry, quota, templates: all, rules: faults.list() });
}
