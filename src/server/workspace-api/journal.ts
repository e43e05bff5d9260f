import { aSignal, checkOptionsOfCall } from '../../foundation/options.js';
import { describeEntry, type EntryInspection } from '../inspection/inspection.js';
import { type Delivery, type EntryOf, type JournalEntry, readable } from '../model/journal-entry.js';
import { allOf } from '../model/page.js';
import type { Consent, EventRecord, JourneyRunRecord, SendRecord } from '../model/records.js';
import type { Feed } from '../time/feed.js';
import { type LiveWorkspace, run } from '../workspace/live-workspace.js';
import { follow, type Occurrence } from './follow.js';
import { currentMatches, type WaitOptions, type Wanted, waitFor } from './wait.js';

/**
 * Reads the journal of a workspace: each request, send, event, message, delivery attempt, journey step and fault.
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
   * programs and contacts did, moves the clock, and asserts what happened. It needs no file and no network.
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
