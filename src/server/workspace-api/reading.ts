import type { JournalEntry } from '../model/journal-entry.js';
import { type Page, type PageOptions, type PageRange, pageOf, rangeOf } from '../model/page.js';
import type { DeliveryRecord, EventRecord, JourneyRunRecord, SendRecord } from '../model/records.js';
import { sizeOf } from '../workspace/history.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { type DeliveryFilter, wantedDelivery } from './deliveries.js';
import { describeEntry } from './describe-entry.js';
import { type EventFilter, wantedEvent } from './events.js';
import { asked, differencesOf, inWords } from './filter.js';
import { pageWithin, type ReadOptions } from './long-poll.js';
import { type SendFilter, wantedSend } from './sends.js';
import { matchOf, type Wanted } from './wait.js';

/** A page of a list that drops its oldest items when it is full. */
export interface ForgetfulPage<Item> extends Page<Item> {
  /** How many items the list has dropped. */
  readonly forgotten: number;
}

/** Selects entries of the journal. */
export interface EntryFilter {
  readonly type?: JournalEntry['type'] | undefined;
  readonly operation?: string | undefined;
  readonly requestId?: string | undefined;
}

/** Reads the lists of a workspace, one page at a time; can wait for the next item. */

export async function readSends(
  live: LiveWorkspace,
  filter: SendFilter & { readonly text?: string | undefined },
  options: ReadOptions,
): Promise<ForgetfulPage<SendRecord>> {
  const { store } = live.context;
  const { contact, ...fields } = filter;
  const sent = { ...fields, ...named(contact), status: 'sent' } as const;
  const page = await pageWithin(live, wantedSend(filter), (range) => store.sends.page(sent, range), options);
  return { ...page, forgotten: (await store.countForgotten()).sends };
}

export async function readEvents(
  live: LiveWorkspace,
  filter: EventFilter,
  options: ReadOptions,
): Promise<Page<EventRecord>> {
  const { store } = live.context;
  const { event, contact } = filter;
  const read = async (range: PageRange) => {
    // Looked up at each read, because the contact may be created during the wait.
    const { phone, contactId } = named(contact);
    const known = phone === undefined ? { id: contactId } : await store.contacts.findByPhone(phone);
    if (known === undefined) return { data: [], more: false, cursor: String(range.after) };
    return store.events.page({ event, contactId: known.id }, range);
  };
  return pageWithin(live, wantedEvent(filter), read, options);
}

export async function readDeliveries(
  live: LiveWorkspace,
  filter: DeliveryFilter,
  options: ReadOptions,
): Promise<ForgetfulPage<DeliveryRecord>> {
  const { store } = live.context;
  // The same default as `deliveries.waitFor`: wait for an acknowledged delivery.
  const wanted = options.wait === undefined ? filter : { ...filter, status: filter.status ?? 'delivered' };
  const { contact, ...fields } = wanted;
  const page = await pageWithin(
    live,
    wantedDelivery(wanted),
    (range) => store.outbox.page({ ...fields, ...named(contact) }, range),
    options,
  );
  return { ...page, forgotten: (await store.countForgotten()).deliveries };
}

export async function readJourneyRuns(
  { context: { store } }: LiveWorkspace,
  options: PageOptions,
): Promise<ForgetfulPage<JourneyRunRecord>> {
  const page = await store.journeys.pageOfRuns(rangeOf(options));
  return { ...page, forgotten: (await store.countForgotten()).journeyRuns };
}

/** Reads the journal. Each entry has its number; the next page begins after the last one. */
export async function readJournal(
  live: LiveWorkspace,
  filter: EntryFilter,
  options: ReadOptions,
): Promise<ForgetfulPage<readonly [number: number, entry: JournalEntry]>> {
  const { history } = live;
  const wanted = wantedEntry(filter);
  const read = async (range: PageRange) =>
    pageOf(
      history
        .entriesAfter(range.after)
        .filter(([, entry]) => matchOf(wanted, entry) !== undefined)
        .map((numbered) => [numbered[0], numbered] as const),
      range,
      ([, entry]) => sizeOf(entry),
    );
  return { ...(await pageWithin(live, wanted, read, options)), forgotten: history.forgotten };
}

/** Returns the field that names a contact: the phone or the id. */
function named(contact: string | undefined): { readonly phone?: string; readonly contactId?: string } {
  if (contact === undefined) return {};
  return contact.startsWith('+') ? { phone: contact } : { contactId: contact };
}

function wantedEntry(filter: EntryFilter): Wanted<JournalEntry> {
  const { type, operation, requestId } = filter;
  const criteria = asked<JournalEntry>(filter, {
    type: { name: 'type', wanted: type, actual: (entry) => entry.type },
    operation: { name: 'operation', wanted: operation, actual: (entry) => fieldOf(entry, 'operation') },
    requestId: { name: 'request id', wanted: requestId, actual: (entry) => fieldOf(entry, 'requestId') },
  });
  return {
    subject: criteria.length === 0 ? 'entry' : `entry with ${inWords(criteria)}`,
    select: (entry) => entry,
    differences: (entry) => differencesOf(criteria, entry),
    describe: describeEntry,
  };
}

function fieldOf(entry: JournalEntry, name: 'operation' | 'requestId'): unknown {
  return Reflect.get(entry, name);
}
