import { type PostgresStore, postgresStore } from 'messaging-automation/postgres';
import { describe, expect, test } from 'vitest';
import { MemoryStore } from '../../../src/server/store/memory/memory-store.js';
import { isSharedStore } from '../../../src/server/store/server-store.js';
import { machineClock } from '../../../src/server/time/machine-clock.js';
import { digestOfKey } from '../../../src/server/workspace/key-digest.js';
import { SharedWorkspaces } from '../../../src/server/workspace/shared-workspaces.js';
import { dependenciesOver } from '../../server/workspace/support.js';
import { missingPostgres, usePostgres } from '../support/database.js';

describe.skipIf(missingPostgres)('the workspaces that a server takes part in', () => {
  const postgres = usePostgres();

  test('are few, and are joined again when they are asked for', async () => {
    const [one, two] = [
      openWorkspaces(postgres().connectionString),
      openWorkspaces(postgres().connectionString),
    ];
    const keys = ['a', 'b', 'c', 'd', 'e'];
    for (const key of keys) await one.create({ workspaceId: `of_${key}`, apiKey: key }, 'caller').ready;
    for (const key of keys) expect((await two.find(digestOfKey(key)))?.id).toBe(`of_${key}`);
    expect(two.list().map(({ id }) => id)).toEqual(['of_c', 'of_d', 'of_e']);

    await two.find(digestOfKey('c'));
    const first = await two.find(digestOfKey('a'));
    await first?.services.contacts.upsert({ phone: '+15551234567' });
    expect(two.list().map(({ id }) => id)).toEqual(['of_c', 'of_e', 'of_a']);
    expect(one.list()).toHaveLength(5);
    await Promise.all([one, two].map((workspaces) => workspaces.close()));
  });

  test('do not grow with those that requests create, nor with those that another server deletes', async () => {
    const [one, two] = [
      openWorkspaces(postgres().connectionString),
      openWorkspaces(postgres().connectionString),
    ];
    const keys = ['k', 'l', 'm', 'n', 'o'];
    for (const key of keys) await one.create({ workspaceId: `of_${key}`, apiKey: key }, 'requests').ready;
    await expect.poll(() => one.list().map(({ id }) => id)).toEqual(['of_m', 'of_n', 'of_o']);
    expect((await one.find(digestOfKey('k')))?.id).toBe('of_k');

    const held = one.create({ workspaceId: 'held', apiKey: 'held' }, 'caller');
    await held.ready;
    for (const id of ['of_k', 'of_n', 'of_o', 'held']) await (await two.join(id))?.close();
    await expect.poll(() => one.list()).toEqual([]);
    expect(() => held.refuseIfClosed()).toThrow('is closed');
    await Promise.all([one, two].map((workspaces) => workspaces.close()));
  });

  test('stay while somebody waits for what happens in them', async () => {
    const [one, two] = [
      openWorkspaces(postgres().connectionString),
      openWorkspaces(postgres().connectionString),
    ];
    const keys = ['f', 'g', 'h', 'i', 'j'];
    for (const key of keys) await one.create({ workspaceId: `of_${key}`, apiKey: key }, 'caller').ready;
    const watched = await two.find(digestOfKey('f'));
    const unwatch = watched?.history.watch(() => {});
    for (const key of keys) await two.find(digestOfKey(key));

    expect(two.list().map(({ id }) => id)).toEqual(['of_f', 'of_i', 'of_j']);
    unwatch?.();
    await Promise.all([one, two].map((workspaces) => workspaces.close()));
  });
});

function openWorkspaces(connectionString: string): SharedWorkspaces {
  const store: PostgresStore = postgresStore({ connectionString, poolSize: 4 });
  if (!isSharedStore(store)) throw new Error('The store is not one that servers share.');
  return new SharedWorkspaces({
    store,
    dependencies: dependenciesOver(store, machineClock),
    createDraftStore: () => new MemoryStore(),
    joinedAtOnce: 3,
  });
}
