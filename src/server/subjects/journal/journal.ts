import * as z from 'zod/mini';
import { aSignal, checkOptionsOfCall } from '../../../foundation/options.js';
import { describeEntry, type EntryInspection } from '../../inspection/inspection.js';
import {
  type Delivery,
  type EntryOf,
  type JournalEntry,
  journalEntryTypes,
  readable,
} from '../../model/journal-entry.js';
import { allOf, type PageOptions, type PageRange, pageOf, rangeOf } from '../../model/page.js';
import {
  type Consent,
  consents,
  type EventRecord,
  type JourneyRunRecord,
  type SendRecord,
} from '../../model/records.js';
import { remedySchema } from '../../model/remedy.js';
import type { Feed } from '../../time/feed.js';
import { sizeOf } from '../../workspace/history.js';
import { type LiveWorkspace, run } from '../../workspace/live-workspace.js';
import { type EventStream, eventText, idleAfter } from '../event-stream.js';
import { type ControlCaller, type ControlledServer, operation, stream } from '../operation.js';
import { type ForgetfulPage, pageWithin, type ReadOptions } from '../pages.js';
import type * as Shapes from '../shapes.js';
import { currentMatches, matchOf, type WaitOptions, type Wanted, waitFor, wantedBy } from '../wait.js';
import { entryAsJson } from './entry-json.js';
import { follow, type Occurrence } from './follow.js';

/**
 * Reads the journal of a workspace: each request, send, event, message, delivery attempt,
 * journey step, fault, and change of the workspace by a program or a person.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ templates: [{ id: 'welcome', body: 'Welcome, {{1}}!' }] });
 * await server.client.contacts.upsert({ phone: '+15551234567' });
 * await server.client.transactional.send({ phone: '+15551234567', templateId: 'welcome', variables: { '1': 'Ada' } });
 * const [send] = await server.journal.sends();
 * console.log(send?.text); // Welcome, Ada!
 * ```
 */
export interface Journal {
  /** Returns the entries, oldest first. The journal keeps the last 10,000, with at most 64 MiB of bodies. */
  entries(): Promise<readonly JournalEntry[]>;
  /** Returns the entries of one type for which `where` returns true, oldest first. Default: all entries of the type. */
  find<Type extends JournalEntry['type']>(
    type: Type,
    where?: (entry: EntryOf<Type>) => boolean,
  ): Promise<readonly EntryOf<Type>[]>;
  /**
   * Waits for the first entry of a type, or the nth, for which `where` returns true. Entries before the call count too.
   *
   * @throws WaitTimeoutError that lists the latest entries of the type.
   */
  waitFor<Type extends JournalEntry['type']>(
    type: Type,
    where?: (entry: EntryOf<Type>) => boolean,
    options?: WaitOptions,
  ): Promise<EntryOf<Type>>;
  /**
   * Yields each new entry as it happens. Ends when the signal aborts or the workspace closes.
   *
   * @throws Error if the loop is so slow that the journal drops entries before it reads them.
   */
  follow(options?: { readonly signal?: AbortSignal }): AsyncIterable<JournalEntry>;
  /**
   * Returns the entry with a number, its causes, its effects, and text that reproduces it: a curl command, code, and a test
   * that asserts that it happens. The first entry has the number 1. The command calls `http://127.0.0.1:4010`, the default
   * address of `serve`.
   *
   * @throws Error if the journal has no entry with this number, or has dropped it.
   * @example
   * ```ts
   * import { createReferenceServer } from 'messaging-automation/server';
   *
   * await using server = createReferenceServer({ templates: [{ id: 'welcome', body: 'Welcome!' }] });
   * await server.client.contacts.upsert({ phone: '+15551234567' });
   * await server.client.transactional.send({ phone: '+15551234567', templateId: 'welcome' });
   * const { entry, causes, copies } = await server.journal.inspect(2);
   * console.log(entry.type, causes.map(({ type }) => type)); // send ['request']
   * console.log(copies.test); // a file for Vitest
   * ```
   */
  inspect(number: number): Promise<EntryInspection>;
  /**
   * Writes everything that happened after an entry as one test for Vitest. The test has a workspace of its own, does what
   * programs and contacts did, changes the workspace as it was changed, moves the clock, and asserts what happened. It needs no
   * file and no network. The server runs the same steps once in a fresh workspace in memory, for at most 10 seconds. What
   * does not happen again there is left out, and a comment in the test says so.
   *
   * @param since - The number of the entry before the first. Default: 0, for the whole journal.
   * @throws Error if nothing happened, if the journal has dropped a part, or if it is more than 1,000 entries.
   * @example
   * ```ts
   * import { createReferenceServer } from 'messaging-automation/server';
   *
   * await using server = createReferenceServer();
   * await server.simulate.inboundMessage({ phone: '+15551234567', body: 'Hello' });
   * await server.simulate.inboundMessage({ phone: '+15551234567', body: 'STOP' });
   * console.log(await server.journal.testSince()); // a file for Vitest
   * ```
   */
  testSince(since?: number): Promise<string>;
  /** Returns the sent template messages, oldest first. */
  sends(): Promise<readonly SendRecord[]>;
  /** Returns the tracked events of all current contacts, oldest first. */
  events(): Promise<readonly EventRecord[]>;
  /** Returns the webhook deliveries with all their attempts, oldest first. */
  deliveries(): Promise<readonly Delivery[]>;
  /** Returns the journey runs, oldest first. */
  journeyRuns(): Promise<readonly JourneyRunRecord[]>;
  /**
   * Returns the ids of the contacts in a segment.
   *
   * @throws Error if no segment has the id.
   */
  segmentMembers(segmentId: string): Promise<readonly string[]>;
  /** Returns the consent of the contact with a phone. Undefined if no contact has it. */
  consent(phone: string): Promise<Consent | undefined>;
  /** Returns the remaining conversations. */
  quota(): Promise<{ readonly quota: number; readonly addOnCredits: number }>;
}

/** Returns the journal of a workspace. You can call it before the seed is loaded. */
export function journalOf(live: LiveWorkspace): Journal {
  const { journal, history, services, context } = live;
  const { store } = context;
  const once = <T>(read: () => Promise<T>): Promise<T> => run(live, read);
  return {
    entries: async () => {
      await journal.current();
      return history.entries();
    },
    find: (type, where) => currentMatches(live, entriesOf(type, where)),
    waitFor: (type, where, options) => waitFor(live, entriesOf(type, where), options),
    follow: (options = {}) => {
      checkOptionsOfCall('follow', options, { signal: aSignal });
      const { signal = new AbortController().signal } = options;
      return entriesOnly(follow(live, { gone: signal }));
    },
    // Loaded on demand, because most tests never use it.
    inspect: async (number) => (await import('./inspect-entry.js')).inspectEntry(live, number),
    testSince: async (since = 0) => (await import('./inspect-entry.js')).testSince(live, since),
    sends: () => once(() => allOf((range) => store.sends.page({ status: 'sent' }, range))),
    events: () => once(() => allOf((range) => store.events.page({}, range))),
    deliveries: () => once(async () => (await allOf((range) => store.outbox.page({}, range))).map(readable)),
    journeyRuns: () => once(() => allOf((range) => store.journeys.pageOfRuns(range))),
    segmentMembers: (segmentId) => once(() => services.segments.members(segmentId)),
    consent: (phone) => once(async () => (await store.contacts.findByPhone(phone))?.consent),
    quota: () => once(() => store.sends.readQuota()),
  };
}

async function* entriesOnly(occurrences: Feed<Occurrence>): AsyncGenerator<JournalEntry> {
  for await (const occurrence of occurrences) {
    if (occurrence?.kind === 'entry') yield occurrence.entry;
    else if (occurrence?.kind === 'missed') {
      throw new Error(
        `journal.follow() read too slowly: the journal dropped ${occurrence.count} entries before the loop read them.`,
      );
    }
  }
}

function entriesOf<Type extends JournalEntry['type']>(
  type: Type,
  where: (entry: EntryOf<Type>) => boolean = () => true,
): Wanted<EntryOf<Type>> {
  return {
    subject: `matching entry of type ${JSON.stringify(type)}`,
    select: (entry) => (isOfType(entry, type) ? entry : undefined),
    differences: (entry) => (where(entry) ? [] : ['does not match']),
    describe: describeEntry,
  };
}

function isOfType<Type extends JournalEntry['type']>(
  entry: JournalEntry,
  type: Type,
): entry is EntryOf<Type> {
  return entry.type === type;
}

/** Selects entries of the journal. */
interface EntryFilter {
  readonly type?: JournalEntry['type'] | undefined;
  readonly operation?: string | undefined;
  readonly requestId?: string | undefined;
}

/** Reads the journal. Each entry has its number; the next page begins after the last one. */
async function readJournal(
  live: LiveWorkspace,
  { limit, cursor, wait, gone, ...filter }: EntryFilter & ReadOptions,
): Promise<ForgetfulPage<readonly [number: number, entry: JournalEntry]>> {
  const { history } = live;
  const wanted = wantedEntry(filter);
  const read = async (range: PageRange) => {
    await live.journal.current();
    return pageOf(
      history
        .entriesAfter(range.after)
        .filter(([, entry]) => matchOf(wanted, entry) !== undefined)
        .map((numbered) => [numbered[0], numbered] as const),
      range,
      ([, entry]) => sizeOf(entry),
    );
  };
  const page = await pageWithin(live, wanted, read, { limit, cursor, wait, gone });
  return { ...page, forgotten: history.forgotten };
}

function wantedEntry(filter: EntryFilter): Wanted<JournalEntry> {
  const fields = {
    type: { name: 'type', of: (entry: JournalEntry) => entry.type },
    operation: { name: 'operation', of: (entry: JournalEntry) => Reflect.get(entry, 'operation') },
    requestId: { name: 'request id', of: (entry: JournalEntry) => Reflect.get(entry, 'requestId') },
  };
  return wantedBy('entry', filter, fields, { select: (entry) => entry, describe: describeEntry });
}

async function readJourneyRuns(
  { context: { store } }: LiveWorkspace,
  options: PageOptions,
): Promise<ForgetfulPage<JourneyRunRecord>> {
  const page = await store.journeys.pageOfRuns(rangeOf(options));
  return { ...page, forgotten: (await store.countForgotten()).journeyRuns };
}

/**
 * Streams the journal, from an entry on, and reports other changes. An event id of an earlier process says nothing, because the numbers of
 * the journal restart with the process.
 */
function journalStream(
  live: LiveWorkspace,
  request: ControlCaller,
  since: number | undefined,
  { watchChanges, failedTest }: Pick<ControlledServer, 'watchChanges' | 'failedTest'>,
): EventStream<Occurrence> {
  const { id: workspaceId, history } = live;
  const run = Math.trunc(live.startedAt).toString(36);
  const idOf = (number: number) => `${run}-${number}`;
  const [, lastRun, lastNumber] = /^([\da-z]+)-(\d{1,15})$/.exec(request.header('last-event-id') ?? '') ?? [];
  const resumed = lastRun === run;
  const { latest } = history;
  const after = resumed ? Number(lastNumber) : (since ?? latest);
  return {
    reconnectAfter: 1_000,
    occurrences: follow(live, { after, gone: request.gone, watchChanges, idleAfter }),
    start: eventText('start', { workspaceId, resumed, after, latest, failedTest }, idOf(after)),
    textOf(occurrence) {
      switch (occurrence.kind) {
        case 'entry': {
          const { number, entry } = occurrence;
          return eventText('entry', { number, ...entryAsJson(entry) }, idOf(number));
        }
        case 'missed':
          return eventText('missed', { count: occurrence.count }, idOf(occurrence.number));
        case 'cleared':
          return eventText('cleared', {}, idOf(occurrence.number));
        case 'changed':
          return eventText('changed', { kinds: occurrence.kinds });
      }
    },
  };
}

export const journalOperations = (shapes: typeof Shapes) => ({
  ...operationsOnEntries(shapes),
  ...operationsOnRecords(shapes),
});

const operationsOnEntries = (shapes: typeof Shapes) => {
  const { text, optional, since, waiting, waits, entrySchema } = shapes;
  return {
    follow: stream('journal.follow', '/control/stream', {
      summary:
        'Streams the journal as server-sent events, from now on or after the entry in Last-Event-ID, and reports other changes.',
      query: { since },
      refusals: { 429: waits[429] },
      open: async (live, { query, request, server }) => {
        await live.journal.current();
        return journalStream(live, request, query.since, server);
      },
    }),
    find: operation('journal.find', 'GET', '/control/journal', {
      summary:
        'Lists the journal, oldest first. Each entry has its number. `wait` waits for the first that matches.',
      query: {
        type: optional(z.enum(journalEntryTypes), 'The type of the entries.'),
        operation: optional(text, 'The operation of requests and their faults, such as contacts.upsert.'),
        requestId: optional(
          text,
          'The X-Request-Id of a response: its request, the faults injected into it, and what it sent or tracked.',
        ),
        since,
        ...waiting,
      },
      result: shapes.pageOfLatest(entrySchema),
      refusals: waits,
      rule: async (live, { query, request: { gone } }) => {
        const { since: last, cursor = last?.toString(), ...others } = query;
        const found = await readJournal(live, { ...others, cursor, gone });
        return { ...found, data: found.data.map(([number, entry]) => ({ number, ...entryAsJson(entry) })) };
      },
    }),
    inspect: operation('journal.inspect', 'GET', '/control/journal/:number', {
      summary:
        'Returns an entry, its causes and effects, and text that reproduces it: a curl command, code and a test.',
      result: z.strictObject({
        number: shapes.count,
        entry: entrySchema,
        causes: z.array(entrySchema),
        effects: z.array(entrySchema),
        copies: z.strictObject({ curl: text, code: text, test: text }),
        remedy: z.exactOptional(remedySchema),
      }),
      refusals: { 404: 'The journal has no entry with this number, or has dropped it.' },
      rule: async (live, { path, request }) =>
        (await import('./inspect-entry.js')).inspectAsJson(live, path.number, request),
    }),
    testSince: operation('journal.testSince', 'GET', '/control/journal-test', {
      summary:
        'Writes everything after an entry as one test with a workspace of its own. Default: the whole journal.',
      query: { since },
      result: z.strictObject({ test: text }),
      refusals: { 404: 'No entry follows, or the journal has dropped one of them.' },
      rule: async (live, { query }) => ({ test: await journalOf(live).testSince(query.since) }),
    }),
  };
};

const operationsOnRecords = ({
  text,
  paging,
  listOf,
  requiredPhone,
  pageOfLatest,
  journeyRunSchema,
}: typeof Shapes) => ({
  journeyRuns: operation('journal.journeyRuns', 'GET', '/control/journey-runs', {
    summary: 'Lists the journey runs, oldest first.',
    query: paging,
    result: pageOfLatest(journeyRunSchema),
    rule: (live, { query }) => readJourneyRuns(live, query),
  }),
  segmentMembers: operation('journal.segmentMembers', 'GET', '/control/segments/:id/members', {
    summary: 'Lists the ids of the contacts in a segment.',
    result: listOf(text),
    refusals: { 404: 'No segment has this id.' },
    rule: async (live, { path }) => ({ data: await journalOf(live).segmentMembers(path.id) }),
  }),
  consent: operation('journal.consent', 'GET', '/control/consent', {
    summary: 'Returns the consent of a contact.',
    query: { phone: requiredPhone },
    result: z.strictObject({ consent: z.enum(consents) }),
    refusals: { 404: 'No contact has this phone.' },
    rule: async (live, { query }) => {
      const consent = await journalOf(live).consent(query.phone);
      return consent && { consent };
    },
  }),
});
