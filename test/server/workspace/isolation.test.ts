import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ReferenceWorkspace, WorkspaceSeed } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { MemoryStore } from '../../../src/server/store/memory/memory-store.js';
import { ManualClock } from '../support/manual-clock.js';
import { askWith, phone, startServer } from '../support/reference.js';
import { workspacesOver } from './support.js';

/** All that a workspace can begin with. */
const full: WorkspaceSeed = {
  clock: 'flowing',
  templates: [{ id: 'welcome', body: 'Welcome, {{1}}!' }],
  contacts: [{ phone, properties: { firstName: 'Ada' } }],
  segments: [{ id: 'regulars', event: 'order_placed', atLeast: 2 }],
  journeys: [{ id: 'later', event: 'order_placed', steps: [{ wait: '1d' }] }],
  managedWebhooks: [{ url: 'https://example.com/hooks', events: ['message.received'] }],
  faults: [{ operation: 'any', fault: { kind: 'latency', duration: '1h' } }],
};

/** Collects garbage now, and once more what its finalisers have let go of. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  for (let i = 0; i < 3; i += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
}

test('two hundred workspaces that were created and closed leave nothing behind: no timer, key, id or memory', async () => {
  const machine = new ManualClock();
  const store = new MemoryStore();
  const { workspaces, taken } = workspacesOver(store, machine);
  const refs: WeakRef<object>[] = [];
  const ids: string[] = [];
  /** In a function of its own, so that nothing here refers to the workspace. */
  const createAndClose = async (i: number) => {
    const live = workspaces.create({ ...full, apiKey: `key_${i}` }, 'caller');
    await live.life.ready;
    await live.keys.issue();
    // A journey that waits for a day, a delivery that waits for its retry.
    await live.services.events.track({ event: 'order_placed', phone });
    await live.services.inboundMessages.receive({ phone, body: 'Hello' });
    if (i % 10 === 0) await live.life.settled();
    refs.push(new WeakRef(live));
    ids.push(live.id);
    await workspaces.remove(live);
  };
  for (let i = 0; i < 200; i += 1) await createAndClose(i);
  expect(workspaces.list()).toEqual([]);
  expect(machine.waiting).toBe(0);
  expect([...taken]).toEqual([]);
  for (const id of ids) expect(() => store.workspace(id)).toThrow('No workspace');
  await collectGarbage();
  expect(refs.filter((ref) => ref.deref() !== undefined)).toHaveLength(0);
});

describe('a workspace that was closed', () => {
  test('is closed once, however often it is told to: its id may be another’s by then', async () => {
    const server = startServer();
    const first = server.workspace({ workspaceId: 'mine', apiKey: 'mine' });
    await Promise.all([first.close(), first.close()]);
    const second = server.workspace({ workspaceId: 'mine', apiKey: 'mine', contacts: [{ phone }] });
    await first.close();
    await first[Symbol.asyncDispose]();
    expect(await second.client.contacts.find(phone)).toMatchObject({ properties: { phone } });
    await server.settled();
  });

  const verbs: Readonly<Record<string, (workspace: ReferenceWorkspace) => unknown>> = {
    'clock.advance': ({ clock }) => clock.advance(1),
    'keys.issue': ({ keys }) => keys.issue(),
    'simulate.inboundMessage': ({ simulate }) => simulate.inboundMessage({ phone, body: 'Hello' }),
    'managedWebhooks.create': ({ managedWebhooks }) =>
      managedWebhooks.create({ url: 'https://example.com/', events: ['message.received'] }),
    'journal.sends': ({ journal }) => journal.sends(),
    'journal.deliveries': ({ journal }) => journal.deliveries(),
    'journal.quota': ({ journal }) => journal.quota(),
    'journal.waitFor': ({ journal }) => journal.waitFor('send'),
    'sends.waitFor': ({ sends }) => sends.waitFor(),
    'deliveries.waitFor': ({ deliveries }) => deliveries.waitFor(),
    'deliveries.redeliver': ({ deliveries }) => deliveries.redeliver('delivery_1'),
    'contacts.list': ({ contacts }) => contacts.list(),
    'quota.read': ({ quota }) => quota.read(),
    'templates.list': ({ templates }) => templates.list(),
    'specGaps.set': ({ specGaps }) => specGaps.set({ listBody: 'array' }),
    'faults.add': ({ faults }) => faults.add({ operation: 'any', fault: { kind: 'stall' } }),
    snapshot: (workspace) => workspace.snapshot(),
    reset: (workspace) => workspace.reset(),
    settled: (workspace) => workspace.settled(),
  };

  test.each(Object.entries(verbs))('refuses to be asked for anything more: %s', async (_, ask) => {
    const server = startServer();
    const workspace = server.workspace();
    await workspace.close();
    await server.close();
    for (const closed of [workspace, server]) {
      if (ask === verbs.settled && closed === server) continue; // nothing is under way any more
      await expect((async () => ask(closed))()).rejects.toThrow(
        'This workspace is closed, or its server is.',
      );
    }
  });

  test.each(['its own', "its server's"])('by %s close ends each wait in it', async (whose) => {
    const server = startServer();
    const workspace = server.workspace();
    const waits = [workspace.sends.waitFor(), workspace.journal.waitFor('send')];
    const ends = Promise.allSettled(waits);
    await (whose === 'its own' ? workspace : server).close();
    for (const end of await ends) {
      expect(end).toMatchObject({
        reason: { name: 'WaitEndedError', message: expect.stringContaining('closed') },
      });
    }
  });

  test('by its server takes no request, and the server makes no other workspace', async () => {
    const server = startServer();
    await server.close();
    await expect(server.fetch(new Request('http://localhost/api/v1/templates'))).rejects.toThrow(
      /^fetch\(\) failed: this reference server is closed/,
    );
    expect(() => server.workspace()).toThrow(/^workspace\(\) failed: this reference server is closed/);
  });

  test('while it is being filled leaves nothing behind either', async () => {
    const server = startServer();
    const workspace = server.workspace({ ...full, workspaceId: 'mine', apiKey: 'mine' });
    await workspace.close();
    expect((await askWith(server, workspace)('GET', '/v1/templates')).status).toBe(401);
    const next = server.workspace({ workspaceId: 'mine', apiKey: 'mine' });
    expect(await next.client.contacts.find(phone)).toBeNull();
  });
});

test('an id that was made up for one workspace cannot be given to another', () => {
  const server = startServer();
  const other = server.workspace();
  for (const workspaceId of [server.id, other.id]) {
    expect(() => server.workspace({ workspaceId })).toThrow(/has this id or this API key/);
  }
});
