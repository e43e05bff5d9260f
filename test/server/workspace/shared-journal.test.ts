import { expect, test } from 'vitest';
import type { JournalEntry } from '../../../src/server/model/journal-entry.js';
import { StoreUnavailableError } from '../../../src/server/model/service-error.js';
import type { JournalBatch, JournalPage, JournalStore } from '../../../src/server/store/shared-store.js';
import type { History } from '../../../src/server/workspace/history.js';
import { SharedJournal } from '../../../src/server/workspace/shared/shared-journal.js';
import { withResolvers } from '../../waiting.js';

// How the replicas of one workspace share its journal, over a store that responds late or not at all.

type JournalCall = 'append' | 'read' | 'clear';

/** The journal in the store. A test holds its responses back or lets calls fail. */
class StoredJournal implements JournalStore {
  readonly calls: JournalCall[] = [];
  /** Runs before each call takes effect or gets a response. */
  meanwhile: (call: JournalCall) => Promise<void> | void = () => {};
  #entries: readonly JournalEntry[] = [];
  #gone = 0;
  #clears = 0;

  get messages(): readonly string[] {
    return this.#entries.flatMap((entry) => (entry.type === 'message' ? entry.body : []));
  }

  async append({ entries }: JournalBatch): Promise<void> {
    await this.meanwhile('append');
    this.calls.push('append');
    this.#entries = [...this.#entries, ...entries];
  }

  async readAfter(number: number, limit: number): Promise<JournalPage> {
    // What the store had when it was asked.
    const first = Math.max(number, this.#gone);
    const page: JournalPage = {
      entries: this.#entries
        .slice(first, first + limit)
        .map((entry, index) => [first + index + 1, entry] as const),
      latest: this.#entries.length,
      latestGone: this.#gone,
      clears: this.#clears,
    };
    await this.meanwhile('read');
    return page;
  }

  async clear(): Promise<void> {
    await this.meanwhile('clear');
    this.calls.push('clear');
    this.#gone = this.#entries.length;
    this.#clears += 1;
  }

  /** Returns what goes back to this moment, like a database to its backup. */
  backUp(): () => void {
    const [entries, gone, clears] = [this.#entries, this.#gone, this.#clears];
    return () => {
      [this.#entries, this.#gone, this.#clears] = [entries, gone, clears];
    };
  }
}

/** The journal of one replica. */
function replicaOf(store: StoredJournal, added: Promise<void> = Promise.resolve()) {
  const failures: unknown[] = [];
  const journal = new SharedJournal(store, added, (error) => failures.push(error));
  return { journal, history: journal.history, failures };
}

const message = (body: string): JournalEntry => ({
  type: 'message',
  at: 1,
  messageId: body,
  contactId: 'contact',
  phone: '+15551234567',
  body,
});

const messagesIn = (history: History) =>
  history.entries().flatMap((entry) => (entry.type === 'message' ? entry.body : []));

const afterTheQueue = () => new Promise<void>((resolve) => setImmediate(resolve));

test('a replica sees its own entries as soon as it reads the journal', async () => {
  const store = new StoredJournal();
  const { journal, history } = replicaOf(store);
  store.meanwhile = (call) => (call === 'append' ? afterTheQueue() : undefined);
  journal.record(message('own'));
  await journal.current();
  expect(messagesIn(history)).toEqual(['own']);
});

test('the first read of a journal waits until the store has the workspace, in its present tables', async () => {
  const store = new StoredJournal();
  const added = withResolvers();
  const { journal } = replicaOf(store, added.promise);
  const asked: unknown[] = [];
  store.meanwhile = (call) => void asked.push(call);
  const reading = journal.current();
  await afterTheQueue();
  expect(asked).toEqual([]);
  added.resolve();
  await reading;
  expect(asked).toEqual(['read']);
});

test('whoever reads the journal sees an entry that arrives while an earlier read waits for the store', async () => {
  const store = new StoredJournal();
  const [one, two] = [replicaOf(store), replicaOf(store)];
  const responded = withResolvers();
  store.meanwhile = (call) => (call === 'read' ? responded.promise : undefined);
  const earlier = one.journal.current();
  await afterTheQueue();
  two.journal.record(message('arrived'));
  await two.journal.written();
  const later = one.journal.current();
  await afterTheQueue();
  responded.resolve();
  await Promise.all([earlier, later]);
  expect(messagesIn(one.history)).toEqual(['arrived']);
});

test('a caller waits for its own entries to be written, and not for later ones', async () => {
  const store = new StoredJournal();
  const { journal } = replicaOf(store);
  const firstWritten = withResolvers();
  store.meanwhile = () => (store.calls.length === 0 ? firstWritten.promise : new Promise(() => {}));
  journal.record(message('own'));
  const written = journal.written();
  await afterTheQueue();
  journal.record(message('later, and never written'));
  firstWritten.resolve();
  await afterTheQueue();
  expect(await Promise.race([written, 'waits'])).toBeUndefined();
  expect(store.messages).toEqual(['own']);
});

test('clearing the journal waits for the entries that are being written', async () => {
  const store = new StoredJournal();
  const { journal, history } = replicaOf(store);
  const written = withResolvers();
  store.meanwhile = (call) => (call === 'append' ? written.promise : undefined);
  journal.record(message('before the reset'));
  const cleared = journal.clear();
  await afterTheQueue();
  written.resolve();
  await cleared;
  expect(store.calls).toEqual(['append', 'clear']);
  expect(history.entries()).toEqual([]);
});

test('the journal keeps the latest 10,000 entries of an outage, and reports each outage once', async () => {
  const store = new StoredJournal();
  const { journal, failures } = replicaOf(store);
  for (const outage of [1, 2]) {
    store.meanwhile = () => Promise.reject(new StoreUnavailableError());
    journal.record(message(`outage ${outage}`));
    await journal.written();
    for (let index = 1; index <= 10_001; index += 1) journal.record(message(`${outage}.${index}`));
    await journal.written();
    expect(failures).toHaveLength(outage);
    store.meanwhile = () => {};
    await journal.written();
  }
  const { messages } = store;
  expect(messages).toHaveLength(20_002);
  // The first one was already on its way to the store.
  expect(messages.slice(0, 2)).toEqual(['outage 1', '1.2']);
  expect(messages.slice(10_000, 10_003)).toEqual(['1.10001', 'outage 2', '2.2']);
  expect(messages.at(-1)).toBe('2.10001');
});

test.each([
  ['and has fewer entries', [] as string[]],
  ['and has other entries since, as many', ['other', 'others']],
  ['and has other entries since, more', ['other', 'others', 'more']],
])('a replica shows the journal of a store that went back %s', async (_, since) => {
  const store = new StoredJournal();
  const [one, two] = [replicaOf(store), replicaOf(store)];
  one.journal.record(message('kept'));
  await one.journal.written();
  const goBack = store.backUp();
  for (const body of ['lost', 'lost too']) one.journal.record(message(body));
  for (const { journal } of [one, two]) await journal.current();
  expect(messagesIn(two.history)).toEqual(['kept', 'lost', 'lost too']);
  const { clears } = two.history;
  goBack();
  // The connection to the store was lost, too, if the other entries hide that it went back.
  if (since.length > 1) two.journal.returned();
  for (const body of since) one.journal.record(message(body));
  await one.journal.written();
  await two.journal.current();

  expect(messagesIn(two.history)).toEqual(['kept', ...since]);
  expect(two.history.clears).toBeGreaterThan(clears);
});

test('a replica sees a store cleared that went back to before it was cleared first', async () => {
  const store = new StoredJournal();
  const { journal, history } = replicaOf(store);
  journal.record(message('first'));
  await journal.written();
  const goBack = store.backUp();
  await journal.clear();
  await journal.clear();
  goBack();
  journal.record(message('second'));
  journal.returned();
  await journal.current();
  expect(messagesIn(history)).toEqual(['first', 'second']);
  const { clears } = history;
  await journal.clear();
  expect([messagesIn(history), history.clears > clears]).toEqual([[], true]);
});
