import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { operationList } from '../../../src/contract/operations.js';
import { MemoryStore } from '../../../src/server/store/memory/memory-store.js';
import type { Store } from '../../../src/server/store/store.js';
import { ManualClock } from '../support/manual-clock.js';
import { askWith, refusal, startServer } from '../support/reference.js';
import { workspacesOver } from './support.js';

const statusOf = async (server: ReturnType<typeof startServer>, apiKey: string) =>
  (await askWith(server, { apiKey })('GET', '/v1/templates')).status;

test('each key of a workspace is refused by every endpoint once it is revoked, and the others are not', async () => {
  const server = startServer();
  const kept = await server.keys.issue();
  const ask = askWith(server);
  await server.keys.revoke(server.apiKey);
  const responses = operationList.map(async ({ method, path }) => {
    const { status, body } = await ask(method, path.replace(':id', 'x'));
    return [status, body];
  });
  expect(await Promise.all(responses)).toEqual(operationList.map(() => [401, refusal('unauthorized')]));
  expect(await statusOf(server, kept)).toBe(200);
  await expect(server.client.templates.list()).rejects.toMatchObject({ status: 401 });
});

describe('a key that is not the workspace’s own', () => {
  test.each(['revoke', 'rotate'] as const)(
    'is refused when it is to be %sd, and keeps opening its own',
    async (verb) => {
      const server = startServer();
      const other = server.workspace();
      const revoked = await server.keys.issue();
      await server.keys.revoke(revoked);
      for (const key of [other.apiKey, revoked, 'nobody’s', '']) {
        const refused = server.keys[verb](key);
        await expect(refused).rejects.toThrow('The key does not belong to this workspace');
        await expect(refused).rejects.not.toThrow(other.apiKey);
      }
      expect(await statusOf(server, other.apiKey)).toBe(200);
    },
  );

  test('cannot be had by a seed: given, made up or issued', async () => {
    const server = startServer();
    const given = server.workspace({ apiKey: 'given' });
    const issued = await given.keys.issue();
    for (const apiKey of [server.apiKey, 'given', issued]) {
      expect(() => server.workspace({ apiKey })).toThrow(/has this id or this API key/);
    }
    expect(await statusOf(server, issued)).toBe(200);
  });
});

test('the store is given digests alone, to look keys up by: never a key', async () => {
  const told: unknown[][] = [];
  const store = new Proxy<Store>(new MemoryStore(), {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        told.push([name, ...given]);
        return Reflect.apply(member, target, given);
      };
    },
  });
  const { workspaces } = workspacesOver(store, new ManualClock());
  const live = workspaces.create({ apiKey: 'canary_given' }, 'caller');
  await live.life.ready;
  const issued = await live.keys.issue();
  expect(await workspaces.open(issued)).toBe(live);
  await live.keys.revoke(issued);
  expect(await workspaces.open('canary_unknown')).toBeUndefined();
  await workspaces.remove(live);

  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  expect(told.filter(([name]) => /Key$|^find/.test(String(name)))).toEqual([
    ['addApiKey', live.id, sha256('canary_given')],
    ['addApiKey', live.id, sha256(issued)],
    ['findWorkspaceId', sha256(issued)],
    ['removeApiKey', live.id, sha256(issued)],
    ['findWorkspaceId', sha256('canary_unknown')],
  ]);
  expect(JSON.stringify(told)).not.toMatch(new RegExp(`canary|${issued}`));
});

describe('the API key of a request', () => {
  test.each(['', 'Bearer ', 'Bearer key key', 'Bearer KEY', 'Bearer __proto__'])(
    'is refused with 401 as %j',
    async (Authorization) => {
      const ask = askWith(startServer({ apiKey: 'key' }));
      const { status, body } = await ask('GET', '/v1/templates', undefined, { Authorization });
      expect([status, body]).toEqual([401, refusal('unauthorized')]);
    },
  );

  test.each(['Bearer key', 'bearer key', 'BEARER   key'])('is taken as %j', async (Authorization) => {
    const ask = askWith(startServer({ apiKey: 'key' }));
    expect((await ask('GET', '/v1/templates', undefined, { Authorization })).status).toBe(200);
  });
});
