import { expect, test } from 'vitest';
import { WorkspaceFaults } from '../../../src/server/faults/workspace-faults.js';
import type { JournalEntry } from '../../../src/server/model/journal-entry.js';
import { StoreUnavailableError } from '../../../src/server/model/service-error.js';
import { defaultSpecGaps } from '../../../src/server/model/spec-gaps.js';
import { OwnAdmissions } from '../../../src/server/service/rate-limit.js';
import { MemoryStore } from '../../../src/server/store/memory/memory-store.js';
import type {
  JournalBatch,
  JournalPage,
  JournalStore,
  RevisedSettings,
  SettingsStore,
  SharedSettings,
} from '../../../src/server/store/shared-store.js';
import { SteerableClock } from '../../../src/server/time/clock.js';
import { History } from '../../../src/server/workspace/history.js';
import { AmongReplicas, settingsAsJson } from '../../../src/server/workspace/sharing/among-replicas.js';
import { CatchingUp } from '../../../src/server/workspace/sharing/shared-journal.js';
import { withResolvers } from '../../waiting.js';
import { workspaceRecord } from '../store-conformance/opening.js';
import { ManualClock } from '../support/manual-clock.js';

// How the replicas of one workspace share its journal, over a store that responds late or not at all.

type JournalCall = 'append' | 'read' | 'clear';

/** The journal in the store. A test holds its responses back or lets calls fail. */
class StoredJournal implements JournalStore {
  readonly calls: JournalCall[] = [];
  /** Runs before each call takes effect or gets a response. */
  meanwhile: (call: JournalCall) => Promise<void> | void = () => {};
  #entries: readonly JournalEntry[] = [];
  #gone = 0;

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
      clears: this.#gone === 0 ? 0 : 1,
    };
    await this.meanwhile('read');
    return page;
  }

  async clear(): Promise<void> {
    await this.meanwhile('clear');
    this.calls.push('clear');
    this.#gone = this.#entries.length;
  }
}

const settings = settingsAsJson({ specGaps: {}, faults: new WorkspaceFaults().save() });

/** The clock and the settings in the store. A test changes them, holds their responses back or lets changes fail. */
class StoredSettings implements SettingsStore {
  current: RevisedSettings = { clock: { flow: 'frozen', now: 0 }, settings, revision: 1 };
  /** Runs before a response. */
  meanwhile: (call: 'read' | 'change') => Promise<void> | void = () => {};

  async read() {
    const read = this.current;
    await this.meanwhile('read');
    return read;
  }

  async change(decide: (now: SharedSettings) => SharedSettings) {
    const decided = decide(this.current);
    await this.meanwhile('change');
    this.current = { ...decided, revision: this.current.revision + 1 };
    return this.current;
  }

  readonly readInitialState = async () => null;
  readonly beginMove = async () => 'begun' as const;
  readonly endMove = async () => {};
}

/** One replica of the workspace. */
async function replicaOf(journal: StoredJournal, sharedSettings = new StoredSettings()) {
  const records = new MemoryStore();
  await records.createWorkspace(workspaceRecord({ id: 'shared' }));
  const history = new History();
  const failures: unknown[] = [];
  const [gaps, faults] = [{ ...defaultSpecGaps }, new WorkspaceFaults()];
  const sharing: AmongReplicas = new AmongReplicas({
    added: Promise.resolve(),
    store: Object.assign(records.workspace('shared'), {
      number: 1,
      delete: async () => {},
      sharedSettings,
      journal,
      schedule: { next: async () => undefined, due: async () => [], isIdle: async () => true },
      admissions: new OwnAdmissions(),
    }),
    history,
    workspace: () => ({
      clock,
      gaps,
      faults,
      receiver: { mode: 'verify' },
      life: { isStopped: false, refuseIfClosed() {} },
    }),
    startDue: () => {},
    onFailure: (error) => failures.push(error),
    onGone: () => {},
  });
  const clock = new SteerableClock(
    new ManualClock(),
    'frozen',
    async () => {},
    0,
    () => {},
    sharing.time,
  );
  return { sharing, clock, history, failures };
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
  const journal = new StoredJournal();
  const { sharing, history } = await replicaOf(journal);
  journal.meanwhile = (call) => (call === 'append' ? afterTheQueue() : undefined);
  sharing.record(message('own'));
  await sharing.current();
  expect(messagesIn(history)).toEqual(['own']);
});

test('whoever reads the journal sees an entry that arrives while an earlier read waits for the store', async () => {
  const journal = new StoredJournal();
  const [one, two] = [await replicaOf(journal), await replicaOf(journal)];
  const responded = withResolvers();
  journal.meanwhile = (call) => (call === 'read' ? responded.promise : undefined);
  const earlier = one.sharing.current();
  await afterTheQueue();
  two.sharing.record(message('arrived'));
  await two.sharing.written();
  const later = one.sharing.current();
  await afterTheQueue();
  responded.resolve();
  await Promise.all([earlier, later]);
  expect(messagesIn(one.history)).toEqual(['arrived']);
});

test('a caller waits for its own entries to be written, and not for later ones', async () => {
  const journal = new StoredJournal();
  const { sharing } = await replicaOf(journal);
  const firstWritten = withResolvers();
  journal.meanwhile = () => (journal.calls.length === 0 ? firstWritten.promise : new Promise(() => {}));
  sharing.record(message('own'));
  const written = sharing.written();
  await afterTheQueue();
  sharing.record(message('later, and never written'));
  firstWritten.resolve();
  await afterTheQueue();
  expect(await Promise.race([written, 'waits'])).toBeUndefined();
  expect(journal.messages).toEqual(['own']);
});

test('a change of this process stays when the change of another replica is read during it', async () => {
  const sharedSettings = new StoredSettings();
  const { sharing, clock } = await replicaOf(new StoredJournal(), sharedSettings);
  await sharing.sharedSettings();
  sharedSettings.current = { clock: { flow: 'frozen', now: 1 }, settings, revision: 2 };
  const changed = withResolvers();
  sharedSettings.meanwhile = (call) => (call === 'change' ? changed.promise : undefined);
  const changing = sharing.time.change(() => clock.jump(5));
  await afterTheQueue();
  const refreshed = sharing.sharedSettings();
  await afterTheQueue();
  changed.resolve();
  await Promise.all([changing, refreshed]);
  expect([clock.now(), sharedSettings.current]).toMatchObject([5, { clock: { now: 5 }, revision: 3 }]);
});

test('clearing the journal waits for the entries that are being written', async () => {
  const journal = new StoredJournal();
  const { sharing, history } = await replicaOf(journal);
  const written = withResolvers();
  journal.meanwhile = (call) => (call === 'append' ? written.promise : undefined);
  sharing.record(message('before the reset'));
  const cleared = sharing.clearJournal();
  await afterTheQueue();
  written.resolve();
  await cleared;
  expect(journal.calls).toEqual(['append', 'clear']);
  expect(history.entries()).toEqual([]);
});

test('the journal keeps the latest 10,000 entries of an outage, and reports each outage once', async () => {
  const journal = new StoredJournal();
  const { sharing, failures } = await replicaOf(journal);
  for (const outage of [1, 2]) {
    journal.meanwhile = () => Promise.reject(new StoreUnavailableError());
    sharing.record(message(`outage ${outage}`));
    await sharing.written();
    for (let index = 1; index <= 10_001; index += 1) sharing.record(message(`${outage}.${index}`));
    await sharing.written();
    expect(failures).toHaveLength(outage);
    journal.meanwhile = () => {};
    await sharing.written();
  }
  const { messages } = journal;
  expect(messages).toHaveLength(20_002);
  // The first one was already on its way to the store.
  expect(messages.slice(0, 2)).toEqual(['outage 1', '1.2']);
  expect(messages.slice(10_000, 10_003)).toEqual(['1.10001', 'outage 2', '2.2']);
  expect(messages.at(-1)).toBe('2.10001');
});

test('catching up reports the first of several errors in a row, and the next after a success', async () => {
  const outcomes = ['error 1', 'error 2', undefined, 'error 4', undefined];
  const failures: string[] = [];
  let runs = 0;
  const catchingUp = new CatchingUp(
    async () => {
      const error = outcomes[runs];
      runs += 1;
      // Another notice comes.
      if (runs < outcomes.length) catchingUp.start();
      if (error !== undefined) throw new Error(error);
    },
    { onFailure: (error) => failures.push(String(error)), isOver: () => false },
  );
  catchingUp.start();
  await afterTheQueue();
  expect([runs, failures]).toEqual([5, ['Error: error 1', 'Error: error 4']]);
});

test('catching up repeats what an outage stops, without another notice', async () => {
  let runs = 0;
  const catchingUp = new CatchingUp(
    async () => {
      runs += 1;
      if (runs === 1) throw new StoreUnavailableError();
    },
    { onFailure: () => {}, isOver: () => false },
  );
  catchingUp.start();
  await expect.poll(() => runs, { timeout: 5_000, message: 'The step was not repeated.' }).toBe(2);
});
