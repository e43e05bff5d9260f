import { describeEntry } from '../inspection/inspection.js';
import type { JournalEntry } from '../model/journal-entry.js';
import { type Page, type PageOptions, type PageRange, pageOf, rangeOf } from '../model/page.js';
import type { DeliveryRecord, EventRecord, JourneyRunRecord, SendRecord } from '../model/records.js';
import { type Duration, toMilliseconds } from '../time/duration.js';
import { sizeOf } from '../workspace/history.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { follow } from './follow.js';
import {
  type DeliveryFilter,
  type EventFilter,
  type SendFilter,
  wantedDelivery,
  wantedEvent,
  wantedSend,
} from './happenings.js';
import {
  explain,
  isPhone,
  matchOf,
  WaitEndedError,
  WaitTimeoutError,
  type Wanted,
  wantedBy,
} from './wait.js';

/** Reads the lists of a workspace, one page at a time. A read can wait for the next item. */

/** Where a page begins, its size, and how long to wait for its first item. */
export interface ReadOptions extends PageOptions {
  /** How long to wait while the page is empty, by the machine's clock. Default: no wait. */
  readonly wait?: Duration | undefined;
  /** Aborts when the reader disconnects. */
  readonly gone: AbortSignal;
}

/** A page of a list that drops its oldest items when it is full. */
export interface ForgetfulPage<Item> extends Page<Item> {
  /** How many items the list has dropped. */
  readonly forgotten: number;
}

/** Selects entries of the journal. */
interface EntryFilter {
  readonly type?: JournalEntry['type'] | undefined;
  readonly operation?: string | undefined;
  readonly requestId?: string | undefined;
}

export async function readSends(
  live: LiveWorkspace,
  { limit, cursor, wait, gone, ...filter }: SendFilter & ReadOptions & { readonly text?: string | undefined },
): Promise<ForgetfulPage<SendRecord>> {
  const { store } = live.context;
  const { contact, ...fields } = filter;
  const sent = { ...fields, ...named(contact), status: 'sent' } as const;
  const read = (range: PageRange) => store.sends.page(sent, range);
  const page = await pageWithin(live, wantedSend(filter), read, { limit, cursor, wait, gone });
  return { ...page, forgotten: (await store.countForgotten()).sends };
}

export async function readEvents(
  live: LiveWorkspace,
  { limit, cursor, wait, gone, ...filter }: EventFilter & ReadOptions,
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
  return pageWithin(live, wantedEvent(filter), read, { limit, cursor, wait, gone });
}

export async function readDeliveries(
  live: LiveWorkspace,
  { limit, cursor, wait, gone, ...filter }: DeliveryFilter & ReadOptions,
): Promise<ForgetfulPage<DeliveryRecord>> {
  const { store } = live.context;
  // The same default as `deliveries.waitFor`: wait for an acknowledged delivery.
  const wanted = wait === undefined ? filter : { ...filter, status: filter.status ?? 'delivered' };
  const { contact, ...fields } = wanted;
  const read = (range: PageRange) => store.outbox.page({ ...fields, ...named(contact) }, range);
  const page = await pageWithin(live, wantedDelivery(wanted), read, { limit, cursor, wait, gone });
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
  { limit, cursor, wait, gone, ...filter }: EntryFilter & ReadOptions,
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
  const page = await pageWithin(live, wanted, read, { limit, cursor, wait, gone });
  return { ...page, forgotten: history.forgotten };
}

/** Returns the field that names a contact: the phone or the id. */
function named(contact: string | undefined): { readonly phone?: string; readonly contactId?: string } {
  if (contact === undefined) return {};
  return isPhone(contact) ? { phone: contact } : { contactId: contact };
}

function wantedEntry(filter: EntryFilter): Wanted<JournalEntry> {
  const fields = {
    type: { name: 'type', of: (entry: JournalEntry) => entry.type },
    operation: { name: 'operation', of: (entry: JournalEntry) => Reflect.get(entry, 'operation') },
    requestId: { name: 'request id', of: (entry: JournalEntry) => Reflect.get(entry, 'requestId') },
  };
  return wantedBy('entry', filter, fields, { select: (entry) => entry, describe: describeEntry });
}

/**
 * Reads a page. If the page is empty and `wait` is set, reads it again when the journal has an item that matches.
 *
 * @throws WaitTimeoutError that lists the closest items; WaitEndedError; RateLimitedError if too many readers wait already.
 */
async function pageWithin<Item, Shown>(
  live: LiveWorkspace,
  wanted: Wanted<Item>,
  read: (range: PageRange) => Promise<Page<Shown>>,
  { wait, gone, ...options }: ReadOptions,
): Promise<Page<Shown>> {
  const range = rangeOf(options);
  if (wait === undefined) return read(range);
  const limit = toMilliseconds(wait);
  const over = new AbortController();
  // Followed before the read: an entry that arrives during the read causes another one.
  const entries = follow(live, { gone: AbortSignal.any([gone, over.signal]) });
  const cancelTimer = live.machine.setTimer(() => over.abort(), limit);
  try {
    const page = await read(range);
    if (page.data.length > 0) return page;
    for await (const occurrence of entries) {
      if (occurrence.kind === 'entry' && matchOf(wanted, occurrence.entry) === undefined) continue;
      const later = await read(range);
      if (later.data.length > 0) return later;
    }
  } finally {
    cancelTimer();
    over.abort();
  }
  if (gone.aborted) throw new WaitEndedError('The reader disconnected.');
  if (live.life.isStopped) throw new WaitEndedError('The workspace closed during the wait.');
  throw new WaitTimeoutError(explain(live.history, wanted, 1, limit));
}
