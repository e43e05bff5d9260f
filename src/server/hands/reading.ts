import { type Delivery, readable } from '../model/delivery.js';
import type { JournalEntry } from '../model/journal-entry.js';
import { type Page, type PageOptions, pageOfNumbered } from '../model/page.js';
import type { EventRecord, JourneyRunRecord, SendRecord } from '../model/records.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { type DeliveryFilter, wantedDelivery } from './deliveries.js';
import { describeEntry } from './describe-entry.js';
import { type EventFilter, wantedEvent } from './events.js';
import { asked, differencesOf, inWords } from './filter.js';
import { pageWithin, type ReadOptions } from './long-poll.js';
import { pageOf } from './page.js';
import { type SendFilter, wantedSend } from './sends.js';
import type { Wanted } from './wait.js';

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
  filter: SendFilter,
  options: ReadOptions,
): Promise<ForgetfulPage<SendRecord>> {
  const { store } = live.context;
  const wanted = wantedSend(filter);
  const page = await pageWithin(
    live,
    wanted,
    async () => {
      const sends = (await store.sends.list()).filter(({ status }) => status === 'sent');
      return pageOf(live.numberings.sends, sends, isAsWanted(wanted), options);
    },
    options,
  );
  return { ...page, forgotten: (await store.countForgotten()).sends };
}

export async function readEvents(
  live: LiveWorkspace,
  filter: EventFilter,
  options: ReadOptions,
): Promise<Page<EventRecord>> {
  const { store } = live.context;
  const { event, contact } = filter;
  const read = async () => {
    // Looked up at each read, because the contact may be created during the wait.
    const contactId = contact?.startsWith('+') ? (await store.contacts.findByPhone(contact))?.id : contact;
    const isMeant = (record: EventRecord) =>
      (event === undefined || record.event === event) &&
      (contact === undefined || record.contactId === contactId);
    return pageOf(live.numberings.events, await store.events.list(), isMeant, options);
  };
  return pageWithin(live, wantedEvent(filter), read, options);
}

export async function readDeliveries(
  live: LiveWorkspace,
  filter: DeliveryFilter,
  options: ReadOptions,
): Promise<ForgetfulPage<Delivery>> {
  const { store } = live.context;
  // The same default as `deliveries.waitFor`: wait for an acknowledged delivery.
  const wanted = wantedDelivery(
    options.wait === undefined ? filter : { ...filter, status: filter.status ?? 'delivered' },
  );
  const read = async () => {
    const deliveries = (await store.outbox.list()).map(readable);
    return pageOf(live.numberings.deliveries, deliveries, isAsWanted(wanted), options);
  };
  const page = await pageWithin(live, wanted, read, options);
  return { ...page, forgotten: (await store.countForgotten()).deliveries };
}

export async function readJourneyRuns(
  { context: { store }, numberings }: LiveWorkspace,
  options: PageOptions,
): Promise<ForgetfulPage<JourneyRunRecord>> {
  const page = pageOf(numberings.journeyRuns, await store.journeys.listRuns(), () => true, options);
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
  const isWanted = isAsWanted(wanted);
  const read = async () =>
    pageOfNumbered(
      history.entriesAfter(0).flatMap(([number, entry]) => {
        return isWanted(entry) ? [[number, [number, entry] as const] as const] : [];
      }),
      options,
    );
  return { ...(await pageWithin(live, wanted, read, options)), forgotten: history.forgotten };
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

function isAsWanted<Item>({ differences }: Wanted<Item>): (item: Item) => boolean {
  return (item) => differences(item).length === 0;
}
