import { describe, expect, test } from 'vitest';
import { missingPostgres, usePostgres } from './support/database.js';
import { digestOf, emptyWorkspace, Replicas, untilRenewed } from './support/replicas.js';

describe.skipIf(missingPostgres)('the conditions that replicas share', () => {
  const postgres = usePostgres();

  async function openTwo(replicas: Replicas, lease?: '200ms') {
    const { connectionString, freshSchema } = postgres();
    const options = { connectionString, schema: await freshSchema(), lease };
    const [one, other] = [await replicas.open(options), await replicas.open(options)];
    await one.store.addWorkspace(emptyWorkspace('w'));
    return { one, other };
  }

  test('lose none of a hundred changes of two replicas', async () => {
    await using replicas = new Replicas();
    const { one, other } = await openTwo(replicas);
    const revisions = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const { store } = index % 2 === 0 ? one : other;
        const changed = await store.workspace('w').conditions.change(({ clock, settings }) => ({
          clock: clock.flow === 'flowing' ? { flow: 'flowing', ahead: clock.ahead + 1 } : clock,
          settings: [...(Array.isArray(settings) ? settings : []), index],
        }));
        return changed?.revision;
      }),
    );
    expect(new Set(revisions).size).toBe(100);
    const read = await other.store.workspace('w').conditions.read();
    expect(read).toMatchObject({ revision: 101, clock: { flow: 'flowing', ahead: 100 } });
    expect(new Set(Array.isArray(read?.settings) ? read.settings : []).size).toBe(100);
    expect(await one.store.findWorkspace(digestOf('w'))).toEqual({ id: 'w', number: 1, revision: 101 });
    await other.told.until(({ changes }) => changes.some(([, part]) => part === 'conditions'));
  });

  test('give a change whose decision throws no effect', async () => {
    await using replicas = new Replicas();
    const { one } = await openTwo(replicas);
    const { conditions } = one.store.workspace('w');
    const refused = conditions.change(() => {
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    expect(await conditions.read()).toMatchObject({ revision: 1, settings: {} });
  });

  test('keep the beginning, whatever a text has in it', async () => {
    await using replicas = new Replicas();
    const { connectionString, freshSchema } = postgres();
    const { store } = await replicas.open({ connectionString, schema: await freshSchema() });
    const id = 'NUL \0, half a pair \ud800, "quotes" and \\';
    expect(await store.addWorkspace(emptyWorkspace(id, { flow: 'frozen', now: 5 }))).toBe('added');
    expect(await store.addWorkspace(emptyWorkspace(id))).toBe('id_exists');
    expect(await store.listWorkspaceIds()).toEqual([id]);
    const { conditions } = store.workspace(id);
    expect(await conditions.readBeginning()).toEqual({ seed: id });
    expect(await conditions.read()).toEqual({
      clock: { flow: 'frozen', now: 5 },
      settings: {},
      revision: 1,
    });
    await store.deleteWorkspace(id);
    expect(await conditions.read()).toBeUndefined();
    expect(await conditions.readBeginning()).toBeUndefined();
    expect(await conditions.change((now) => now)).toBeUndefined();
    expect(await conditions.beginMove()).toBe('gone');
  });

  test('let one replica move the clock at a time, until it ends or dies', async () => {
    await using replicas = new Replicas();
    const { one, other } = await openTwo(replicas, '200ms');
    const [here, there] = [one.store.workspace('w').conditions, other.store.workspace('w').conditions];
    expect(await here.beginMove()).toBe('begun');
    expect(await there.beginMove()).toBe('busy');
    await here.endMove();
    expect(await there.beginMove()).toBe('begun');
    expect(await here.beginMove()).toBe('busy');
    await other.store.close();
    expect(await here.beginMove()).toBe('begun');
  });

  test('let another replica move the clock when the one that moves it dies, and not before', async () => {
    await using replicas = new Replicas();
    const { connectionString, freshSchema } = postgres();
    const schema = await freshSchema();
    const options = { schema, lease: '400ms' } as const;
    const { store } = await replicas.open({ ...options, connectionString });
    const mortal = await replicas.openMortal(options, connectionString);
    await store.addWorkspace(emptyWorkspace('w'));
    expect(await mortal.store.workspace('w').conditions.beginMove()).toBe('begun');
    const { conditions } = store.workspace('w');
    const { pool } = postgres().server;
    await untilRenewed(pool, `select mover_until as until from "${schema}".workspaces`);
    expect(await conditions.beginMove()).toBe('busy');
    await mortal.die();
    while ((await conditions.beginMove()) !== 'begun');
    expect(await mortal.store.health()).toMatchObject({ state: 'unreachable', lease: 400 });
  });
});
