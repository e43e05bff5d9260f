import { expect, test } from 'vitest';
import { defaultSpecGaps } from '../../../src/server/model/spec-gaps.js';
import type {
  MarkedSettings,
  SettingsStore,
  StoredSettings,
} from '../../../src/server/store/shared-store.js';
import { type SettingsRecord, settingsOfSeed } from '../../../src/server/workspace/settings.js';
import { SharedSettings, toStored } from '../../../src/server/workspace/shared/shared-settings.js';
import { withResolvers } from '../../waiting.js';
import { ManualClock } from '../support/manual-clock.js';

// The settings of one workspace in several replicas, over a store that responds late, goes back to a backup, or loses the workspace.

const initial = settingsOfSeed({ clock: 'frozen', now: '2026-01-01T00:00:00Z' }, new ManualClock());

/** The settings in the store. A test changes them, or holds their responses back. */
class Stored implements SettingsStore {
  current: MarkedSettings | undefined = { ...toStored(initial), mark: 'of the seed' };
  /** Runs before a response. */
  meanwhile: (call: 'read' | 'replace') => Promise<void> | void = () => {};
  #replaced = 0;

  async read() {
    const read = this.current;
    await this.meanwhile('read');
    return read;
  }

  async replace(mark: string, settings: StoredSettings) {
    await this.meanwhile('replace');
    if (this.current?.mark !== mark) return undefined;
    this.#replaced += 1;
    this.current = { ...settings, mark: `of change ${this.#replaced}` };
    return this.current.mark;
  }

  readonly readInitialState = async () => null;
}

function replicaOf(store: Stored) {
  const settings = new SharedSettings(store, Promise.resolve(), initial);
  const told: string[] = [];
  settings.watch((kinds) => told.push(...kinds));
  return { settings, told };
}

const statusOf = ({ now }: SettingsRecord) => now.specGaps.unknownIdStatus;

const change = (settings: SettingsRecord, unknownIdStatus: 404 | 410) =>
  settings.change((now) => [{ ...now, specGaps: { ...now.specGaps, unknownIdStatus } }, unknownIdStatus]);

const advance = (settings: SettingsRecord, by: number) =>
  settings.change((now) => {
    const { clock } = now;
    if (clock.flow === 'flowing') return [now, 0];
    return [{ ...now, clock: { ...clock, now: clock.now + by } }, clock.now];
  });

const afterTheQueue = () => new Promise<void>((resolve) => setImmediate(resolve));

test('changes of two replicas at once all happen, each after what the other did', async () => {
  const store = new Stored();
  const [one, two] = [replicaOf(store), replicaOf(store)];
  store.meanwhile = afterTheQueue;
  const results = await Promise.all([
    ...[1, 2, 3].map(() => advance(one.settings, 1)),
    ...[1, 2, 3].map(() => advance(two.settings, 10)),
    change(two.settings, 410),
  ]);
  await one.settings.read();
  const start = Date.UTC(2026, 0, 1);
  expect(one.settings.now.clock).toEqual({ flow: 'frozen', now: start + 33 });
  expect(statusOf(one.settings)).toBe(410);
  expect(new Set(results).size).toBe(7);
});

test('a replica has what a store has that went back, also if its numbers of changes are equal', async () => {
  const store = new Stored();
  const { settings } = replicaOf(store);
  await change(settings, 410);
  const backup = store.current;
  await change(settings, 404);
  expect(statusOf(settings)).toBe(404);
  store.current = backup;
  expect(settings.isSeen(String(backup?.mark))).toBe(false);
  await settings.read();
  expect([statusOf(settings), settings.isSeen(String(backup?.mark))]).toEqual([410, true]);
});

test('a change goes on from what the store has, not from what the replica saw', async () => {
  const store = new Stored();
  const { settings } = replicaOf(store);
  await settings.read();
  store.current = { ...toStored({ ...initial, receiver: 'late' }), mark: 'of the backup' };
  await change(settings, 410);
  expect(settings.now).toMatchObject({
    receiver: 'late',
    specGaps: { ...defaultSpecGaps, unknownIdStatus: 410 },
  });
});

test('a response to an earlier read does not replace a later change', async () => {
  const store = new Stored();
  const { settings } = replicaOf(store);
  const responded = withResolvers();
  store.meanwhile = (call) => (call === 'read' ? responded.promise : undefined);
  const reading = settings.read();
  await afterTheQueue();
  const changing = change(settings, 410);
  await afterTheQueue();
  responded.resolve();
  await Promise.all([reading, changing]);
  expect(statusOf(settings)).toBe(410);
});

test('many reads at once are few reads of the store, and each sees what was there when it was asked', async () => {
  const store = new Stored();
  const { settings } = replicaOf(store);
  const [begun, responded] = [withResolvers(), withResolvers()];
  let reads = 0;
  store.meanwhile = () => {
    reads += 1;
    begun.resolve();
    return responded.promise;
  };
  const first = settings.read();
  await begun.promise;
  store.current = { ...toStored({ ...initial, receiver: 'error' }), mark: 'later' };
  const others = Array.from({ length: 20 }, () => settings.read());
  responded.resolve();
  await Promise.all([first, ...others]);
  expect([settings.now.receiver, reads]).toEqual(['error', 2]);
});

test('who watches learns the kinds of what changed, whoever changed it, and nothing of what did not', async () => {
  const store = new Stored();
  const [one, two] = [replicaOf(store), replicaOf(store)];
  await two.settings.read();
  await change(one.settings, 410);
  await two.settings.read();
  await advance(one.settings, 5);
  await two.settings.read();
  await change(one.settings, 410);
  await two.settings.read();
  await one.settings.change((now) => [{ ...now, receiver: 'late' }, undefined]);
  await two.settings.read();
  expect([one.told, two.told]).toEqual([
    ['specGaps', 'clock', 'specGaps', 'specGaps'],
    ['specGaps', 'clock', 'specGaps'],
  ]);
});

test('a change that fails, or is refused, changes nothing', async () => {
  const store = new Stored();
  const { settings, told } = replicaOf(store);
  const refused = settings.change(() => {
    throw new RangeError('no');
  });
  await expect(refused).rejects.toThrow('no');
  store.meanwhile = (call) => {
    if (call === 'replace') throw new Error('The store is full.');
  };
  await expect(change(settings, 410)).rejects.toThrow('The store is full.');
  expect([settings.now, told]).toEqual([initial, []]);
});

test('a workspace that was deleted is reported, by a read and by a change', async () => {
  const store = new Stored();
  const { settings } = replicaOf(store);
  let gone = 0;
  settings.whenGone(() => {
    gone += 1;
  });
  await settings.read();
  store.current = undefined;
  await settings.read();
  await expect(change(settings, 410)).rejects.toThrow('This workspace is closed');
  expect(gone).toBe(2);
});
