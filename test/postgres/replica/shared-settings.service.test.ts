import { describe, expect, test } from 'vitest';
import { missingPostgres, usePostgres } from '../support/database.js';
import {
  changed,
  digestOf,
  emptyWorkspace,
  openMortal,
  openStore,
  openTwo,
  untilItHolds,
  untilRenewed,
} from '../support/replicas.js';

describe.skipIf(missingPostgres)('the clock and the settings that replicas share', () => {
  const postgres = usePostgres();

  async function openBoth(lease?: '200ms' | '10m') {
    const opened = await openTwo(postgres(), { lease });
    await opened.one.store.records.addWorkspace(emptyWorkspace('w'));
    return opened;
  }

  test('keep each of forty changes of two replicas', async () => {
    const { one, other } = await openBoth();
    const marks = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const { store } = index % 2 === 0 ? one : other;
        return changed(store.records.workspace('w').settings, ({ clock, settings }) => ({
          clock: clock.flow === 'flowing' ? { flow: 'flowing', ahead: clock.ahead + 1 } : clock,
          settings: [...(Array.isArray(settings) ? settings : []), index],
        }));
      }),
    );
    expect(new Set(marks).size).toBe(40);
    const read = await other.store.records.workspace('w').settings.read();
    expect(read?.clock).toEqual({ flow: 'flowing', ahead: 40 });
    expect(marks).toContain(read?.mark);
    expect(new Set(Array.isArray(read?.settings) ? read.settings : []).size).toBe(40);
    const found = { id: 'w', number: 1, mark: read?.mark };
    expect(await one.store.records.findWorkspace(digestOf('w'))).toEqual(found);
    expect(await one.store.records.readMarks(['w', 'v'])).toEqual([found]);
    await other.told.until(({ changes }) => changes.some(([, part]) => part === 'settings'));
  });

  test('stay as they are when they were changed in between, and get another mark also if they stay equal', async () => {
    const { one, other } = await openBoth();
    const [here, there] = [one, other].map(({ store }) => store.records.workspace('w').settings);
    const before = await here?.read();
    if (before === undefined) throw new Error('There are no settings.');
    const mark = await there?.replace(before.mark, before);
    expect(await here?.replace(before.mark, { ...before, settings: { late: true } })).toBeUndefined();
    expect(await here?.read()).toEqual({ ...before, mark });
    expect(mark).not.toBe(before.mark);
    await one.store.records.deleteWorkspace('w');
    expect(await here?.replace(String(mark), before)).toBeUndefined();
  });

  test('come back with the initial state as they were added, whatever characters they have', async () => {
    const { store } = await openStore(postgres());
    const id = 'NUL \0, half a pair \ud800, "quotes" and \\';
    expect(await store.records.addWorkspace(emptyWorkspace(id, { flow: 'frozen', now: 5 }))).toBe('added');
    expect(await store.records.addWorkspace(emptyWorkspace(id))).toBe('id_exists');
    expect(await store.records.listWorkspaceIds()).toEqual([id]);
    const { settings, schedule } = store.records.workspace(id);
    expect(await settings.readInitialState()).toEqual({ seed: id });
    expect(await settings.read()).toEqual({
      clock: { flow: 'frozen', now: 5 },
      settings: {},
      mark: expect.any(String),
    });
    await store.records.deleteWorkspace(id);
    expect(await settings.read()).toBeUndefined();
    expect(await settings.readInitialState()).toBeUndefined();
    expect(await schedule.beginMove()).toBe('gone');
  });

  test('are moved by one replica at a time, until it ends or closes', async () => {
    const { one, other } = await openBoth('200ms');
    const [here, there] = [
      one.store.records.workspace('w').schedule,
      other.store.records.workspace('w').schedule,
    ];
    expect(await here.beginMove()).toBe('begun');
    expect(await there.beginMove()).toBe('busy');
    await here.endMove();
    expect(await there.beginMove()).toBe('begun');
    expect(await here.beginMove()).toBe('busy');
    await other.store.close();
    expect(await here.beginMove()).toBe('begun');
  });

  test('keep another replica from moving the clock until the lease of the mover ends', async () => {
    const lease = '2s';
    const { store, schema } = await openStore(postgres(), { lease });
    const mortal = await openMortal(postgres(), { schema, lease });
    await store.records.addWorkspace(emptyWorkspace('w'));
    expect(await mortal.store.records.workspace('w').schedule.beginMove()).toBe('begun');
    const { schedule } = store.records.workspace('w');
    const { pool } = postgres().server;
    await untilRenewed(pool, `select mover_until as until from "${schema}".workspaces`);
    expect(await schedule.beginMove()).toBe('busy');
    await mortal.die();
    await untilItHolds('the move begins', async () => (await schedule.beginMove()) === 'begun');
    expect(await mortal.store.health()).toMatchObject({ state: 'unreachable', lease: 2_000 });
  });

  test('let a late replica end only its own move', async () => {
    const { one, other, schema } = await openBoth('10m');
    await one.store.records.addWorkspace(emptyWorkspace('v'));
    const [here, there] = [one, other].map(({ store }) => store.records.workspace('w').schedule);
    const { pool } = postgres().server;
    expect(await here?.beginMove()).toBe('begun');
    await pool.query(`update "${schema}".workspaces set mover_until = now() where id = 'w'`);
    expect(await there?.beginMove()).toBe('begun');
    expect(await one.store.records.workspace('v').schedule.beginMove()).toBe('begun');
    await here?.endMove();

    expect(await here?.beginMove()).toBe('busy');
    expect(await other.store.records.workspace('v').schedule.beginMove()).toBe('busy');
  });

  test.each([
    ['by its id', 6_990, 'changes'],
    ['as one in which anything may have changed, if its id is too long for a notice', 7_990, 'returns'],
  ] as const)('are reported to the other replicas: a workspace %s', async (_, length, told) => {
    const { one, other } = await openBoth();
    const id = 'w'.repeat(length);
    await one.store.records.addWorkspace(emptyWorkspace(id));
    await changed(one.store.records.workspace(id).settings);
    await other.told.until(({ changes, returns }) => changes.length + returns > 0);
    expect([other.told.changes, other.told.returns]).toEqual(
      told === 'changes' ? [[[id, 'settings']], 0] : [[], 1],
    );
  });
});
