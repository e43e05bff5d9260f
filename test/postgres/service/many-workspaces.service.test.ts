import { type PostgresStore, postgresStore } from 'messaging-automation/postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MemoryStore } from '../../../src/server/store/memory/memory-store.js';
import { isSharedStore } from '../../../src/server/store/shared-store.js';
import { machineClock } from '../../../src/server/time/machine-clock.js';
import { digestOfKey } from '../../../src/server/workspace/api-keys.js';
import { SharedWorkspaces } from '../../../src/server/workspace/shared/shared-workspaces.js';
import { dependenciesOver } from '../../server/workspace/support.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { messageEntry } from '../support/replicas.js';

describe.skipIf(missingPostgres)('the workspaces that a server has loaded', () => {
  const postgres = usePostgres();

  function openWorkspaces(changed = () => {}): SharedWorkspaces {
    const { connectionString } = postgres();
    const store: PostgresStore = postgresStore({ connectionString, poolSize: 4 });
    if (!isSharedStore(store)) throw new Error('The store is not one that servers share.');
    const workspaces = new SharedWorkspaces({
      store,
      dependencies: { ...dependenciesOver(store.records, machineClock), changed },
      createDraftStore: () => new MemoryStore(),
      joinedAtOnce: 3,
    });
    onTestFinished(() => workspaces.close());
    return workspaces;
  }

  test('are limited in number, and are loaded again when they are used', async () => {
    const [one, two] = [openWorkspaces(), openWorkspaces()];
    const keys = ['a', 'b', 'c', 'd', 'e'];
    for (const key of keys) await one.create({ workspaceId: `of_${key}`, apiKey: key }, 'caller').life.ready;
    for (const key of keys) expect((await two.find(digestOfKey(key)))?.id).toBe(`of_${key}`);
    expect(two.list().map(({ id }) => id)).toEqual(['of_c', 'of_d', 'of_e']);

    await two.find(digestOfKey('c'));
    const first = await two.find(digestOfKey('a'));
    await first?.services.contacts.upsert({ phone: '+15551234567' });
    expect(two.list().map(({ id }) => id)).toEqual(['of_c', 'of_e', 'of_a']);
    expect(one.list()).toHaveLength(5);
  });

  test('include few of those that requests create, and none that another server deletes', async () => {
    const [one, two] = [openWorkspaces(), openWorkspaces()];
    const keys = ['k', 'l', 'm', 'n', 'o'];
    for (const key of keys)
      await one.create({ workspaceId: `of_${key}`, apiKey: key }, 'requests').life.ready;
    await expect.poll(() => one.list().map(({ id }) => id)).toEqual(['of_m', 'of_n', 'of_o']);
    expect((await one.find(digestOfKey('k')))?.id).toBe('of_k');

    const held = one.create({ workspaceId: 'held', apiKey: 'held' }, 'caller');
    await held.life.ready;
    for (const id of ['of_k', 'of_n', 'of_o', 'held']) await (await two.join(id))?.life.close();
    await expect.poll(() => one.list()).toEqual([]);
    expect(() => held.life.refuseIfClosed()).toThrow('is closed');
  });

  test('stay loaded while a function watches them', async () => {
    const [one, two] = [openWorkspaces(), openWorkspaces()];
    const keys = ['f', 'g', 'h', 'i', 'j'];
    for (const key of keys) await one.create({ workspaceId: `of_${key}`, apiKey: key }, 'caller').life.ready;
    const watched = await two.find(digestOfKey('f'));
    const unwatch = watched?.history.watch(() => {});
    for (const key of keys) await two.find(digestOfKey(key));

    expect(two.list().map(({ id }) => id)).toEqual(['of_f', 'of_i', 'of_j']);
    unwatch?.();
  });

  test('stay loaded while all of them work, also the one asked for', { timeout: 10_000 }, async () => {
    const [one, two] = [openWorkspaces(), openWorkspaces()];
    const keys = ['p', 'q', 'r', 's'];
    for (const key of keys) await one.create({ workspaceId: `of_${key}`, apiKey: key }, 'caller').life.ready;
    const ends = keys.slice(0, 3).map(async (key) => {
      const workspace = await two.find(digestOfKey(key));
      return workspace?.history.watch(() => {});
    });
    const unwatch = await Promise.all(ends);
    expect((await two.find(digestOfKey('s')))?.id).toBe('of_s');
    expect(two.list()).toHaveLength(4);
    for (const end of unwatch) end?.();
  });

  test('keep one that was created again when a handle of the earlier one notices that it is gone', async () => {
    const [one, two] = [openWorkspaces(), openWorkspaces()];
    const earlier = one.create({ workspaceId: 'again', apiKey: 'earlier' }, 'caller');
    await earlier.life.ready;
    await (await two.join('again'))?.life.close();
    await two.create({ workspaceId: 'again', apiKey: 'later' }, 'caller').life.ready;
    const later = await one.find(digestOfKey('later'));
    expect(later?.id).toBe('again');
    await earlier.settings.read();

    expect(one.list()).toEqual([later]);
  });

  test('report a change of another server to whoever waits in this process', async () => {
    let changes = 0;
    const one = openWorkspaces();
    const two = openWorkspaces(() => {
      changes += 1;
    });
    const here = one.create({ workspaceId: 'changing', apiKey: 'changing' }, 'caller');
    await here.life.ready;
    await two.find(digestOfKey('changing'));
    const before = changes;
    // Nobody watches the journal at the other server, so that its notice alone can tell of the change.
    here.journal.record(messageEntry);
    await expect.poll(() => changes, { timeout: 10_000 }).toBeGreaterThan(before);
  });
});
