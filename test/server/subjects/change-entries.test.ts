import type { EntryOf, ReferenceServer } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import { changeOperations } from '../../../src/server/model/journal-entry.js';
import { controlOperationList } from '../../../src/server/subjects/control-operations.js';
import { control } from '../control-routes/support.js';
import { phone, startServer } from '../support/reference.js';

/** What changes no workspace, or has an entry of another type, or removes the journal. */
const others = [
  'simulate.inboundMessage',
  'deliveries.redeliver',
  'deliveries.check',
  'listeners.respond',
  'settled',
  'reset',
  'workspace',
  'close',
];

test('every operation that is no GET has an entry of the journal, or says why not', () => {
  const asked = controlOperationList.filter(({ method }) => method !== 'GET').map(({ name }) => name);
  expect([...changeOperations, ...others].sort()).toEqual(asked.sort());
});

interface Change {
  /** The change in a program. It can prepare, because only the last entry counts. */
  readonly call: (server: ReferenceServer) => Promise<unknown>;
  /** The same over HTTP, after the same preparation. */
  readonly request: (
    server: ReferenceServer,
  ) => Promise<readonly [method: string, path: string, body?: unknown]>;
  readonly entry?: object;
}

const rule = { operation: 'any', fault: { kind: 'malformed_json' } } as const;
const webhook = { url: 'http://127.0.0.1:9/', events: ['message.received' as const] };
const template = { id: 'hi', body: 'Hi', status: 'paused' as const };
const segment = { id: 'all', where: [{ property: 'city', exists: true }] };
const journey = { id: 'greet', event: 'seen', steps: [{ wait: '1h' as const }] };

const at =
  (method: string, path: string, body?: unknown): Change['request'] =>
  async () => [method, `/${path}`, body];

const changes: Readonly<Record<EntryOf<'change'>['operation'], Change>> = {
  'quota.set': {
    call: ({ quota }) => quota.set({ quota: 5 }),
    request: at('PUT', 'quota', { quota: 5 }),
    entry: { arguments: [{ quota: 5 }], before: { quota: 3, addOnCredits: 0 } },
  },
  'templates.put': {
    call: ({ templates }) => templates.put(template),
    request: at('PUT', 'templates', template),
    entry: { arguments: [template], before: { id: 'hi', body: 'Hello' } },
  },
  'templates.update': {
    call: ({ templates }) => templates.update('hi', { status: 'paused' }),
    request: at('PUT', 'templates/hi', { status: 'paused' }),
    entry: { arguments: ['hi', { status: 'paused' }], before: { id: 'hi', body: 'Hello' } },
  },
  'templates.remove': {
    call: ({ templates }) => templates.remove('hi'),
    request: at('DELETE', 'templates/hi'),
    entry: { arguments: ['hi'], before: { id: 'hi', body: 'Hello' } },
  },
  'segments.put': {
    call: ({ segments }) => segments.put(segment),
    request: at('PUT', 'segments', segment),
    entry: { arguments: [segment], before: { id: 'all', event: 'seen' } },
  },
  'segments.remove': {
    call: ({ segments }) => segments.remove('all'),
    request: at('DELETE', 'segments/all'),
    entry: { arguments: ['all'], before: { id: 'all', event: 'seen' } },
  },
  'journeys.put': {
    call: ({ journeys }) => journeys.put(journey),
    request: at('PUT', 'journeys', journey),
    entry: { arguments: [journey], before: { id: 'greet', event: 'met', steps: [{ wait: '2h' }] } },
  },
  'journeys.remove': {
    call: ({ journeys }) => journeys.remove('greet'),
    request: at('DELETE', 'journeys/greet'),
    entry: { arguments: ['greet'], before: { id: 'greet', event: 'met', steps: [{ wait: '2h' }] } },
  },
  'specGaps.set': {
    call: ({ specGaps }) => specGaps.set({ unknownIdStatus: 410 }),
    request: at('PUT', 'spec-gaps', { unknownIdStatus: 410 }),
    entry: { arguments: [{ unknownIdStatus: 410 }], before: { unknownIdStatus: 404 } },
  },
  'faults.add': {
    call: ({ faults }) => faults.add(rule),
    request: at('POST', 'faults', rule),
    entry: { arguments: [rule], created: 'fault_2' },
  },
  'faults.clear': {
    call: ({ faults }) => faults.clear(),
    request: at('DELETE', 'faults'),
    entry: { arguments: [], before: [rule] },
  },
  'faults.remove': {
    call: ({ faults }) => faults.remove('fault_1'),
    request: at('DELETE', 'faults/fault_1'),
    entry: { arguments: ['fault_1'], before: rule },
  },
  'clock.advance': {
    call: ({ clock }) => clock.advance('10s'),
    request: at('POST', 'clock/advance', { by: '10s' }),
    entry: { at: 10_000, arguments: ['10s'], before: '1970-01-01T00:00:00.000Z' },
  },
  'clock.set': {
    call: ({ clock }) => clock.set('1970-01-02T00:00:00Z'),
    request: at('POST', 'clock/set', { to: '1970-01-02T00:00:00Z' }),
    entry: { at: 86_400_000, arguments: ['1970-01-02T00:00:00Z'], before: '1970-01-01T00:00:00.000Z' },
  },
  'clock.runToIdle': { call: ({ clock }) => clock.runToIdle(), request: at('POST', 'clock/run-to-idle') },
  'clock.advanceToNext': {
    call: ({ clock }) => clock.advanceToNext(),
    request: at('POST', 'clock/advance-to-next'),
  },
  'clock.freeze': { call: ({ clock }) => clock.freeze(), request: at('POST', 'clock/freeze') },
  'clock.flow': { call: ({ clock }) => clock.flow(), request: at('POST', 'clock/flow') },
  'keys.issue': {
    call: ({ keys }) => keys.issue(),
    request: at('POST', 'api-keys'),
    entry: { arguments: [], created: expect.stringMatching(/^key_[0-9a-f]{8}$/) },
  },
  'keys.rotate': {
    call: ({ keys, apiKey }) => keys.rotate(apiKey),
    request: at('POST', 'api-keys/rotate'),
    entry: {
      arguments: [expect.stringMatching(/^key_[0-9a-f]{8}$/)],
      created: expect.stringMatching(/^key_[0-9a-f]{8}$/),
    },
  },
  'keys.revoke': {
    call: ({ keys, apiKey }) => keys.revoke(apiKey),
    request: at('DELETE', 'api-keys'),
    entry: { arguments: [expect.stringMatching(/^key_[0-9a-f]{8}$/)] },
  },
  'managedWebhooks.create': {
    call: ({ managedWebhooks }) => managedWebhooks.create({ ...webhook, secret: 'whsec_a"b' }),
    request: at('POST', 'managed-webhooks', { ...webhook, secret: 'whsec_a"b' }),
    entry: { arguments: [{ ...webhook, secret: 'whsec_***' }], created: expect.any(String) },
  },
  'subscriptions.remove': {
    call: async ({ subscriptions }) => subscriptions.remove((await subscriptions.list())[0]?.id ?? ''),
    request: async ({ subscriptions }) => ['DELETE', `/subscriptions/${(await subscriptions.list())[0]?.id}`],
    entry: { arguments: [expect.any(String)], before: { ...webhook, managed: true } },
  },
  'receiver.set': {
    call: ({ receiver }) => receiver.set({ mode: 'late' }),
    request: at('PUT', 'receiver', { mode: 'late' }),
    entry: { arguments: [{ mode: 'late' }], before: { mode: 'verify' } },
  },
  'listeners.create': {
    call: ({ listeners }) => listeners.create(webhook),
    request: at('POST', 'listeners', webhook),
    entry: { arguments: [webhook], created: expect.any(String) },
  },
  'listeners.remove': {
    call: async ({ listeners }) => listeners.remove((await listeners.create(webhook)).id),
    request: async ({ listeners }) => ['DELETE', `/listeners/${(await listeners.create(webhook)).id}`],
    entry: { arguments: [expect.any(String)], before: { url: `listen:${webhook.url}` } },
  },
  restore: {
    call: async (server) => server.restore(await server.snapshot()),
    request: async (server) => ['PUT', '/snapshot', await server.snapshot()],
    entry: {
      arguments: [{ version: 1, contacts: [{ phone }], subscriptions: [{ secret: 'whsec_***' }] }],
      before: { quota: 3, templates: [{ id: 'hi', body: 'Hello' }] },
    },
  },
};

const start = () =>
  startServer({
    now: 0,
    quota: 3,
    contacts: [{ phone }],
    templates: [{ id: 'hi', body: 'Hello' }],
    segments: [{ id: 'all', event: 'seen' }],
    journeys: [{ id: 'greet', event: 'met', steps: [{ wait: '2h' }] }],
    faults: [rule],
    managedWebhooks: [webhook],
  });

test.each(Object.entries(changes))(
  '%s has one entry, the same from a program and over HTTP',
  async (operation, { call, request, entry = {} }) => {
    const [inProgram, overHttp] = [start(), start()];
    await call(inProgram);
    const [method, path, body] = await request(overHttp);
    expect((await control(overHttp)(method, path, body)).status).toBeLessThan(300);
    for (const server of [inProgram, overHttp]) {
      const found = (await server.journal.entries()).slice(operation === 'listeners.remove' ? 1 : 0);
      expect(found).toMatchObject([{ type: 'change', operation, ...entry }]);
      expect(JSON.stringify(found)).not.toMatch(/whsec_[^*]/);
      expect(JSON.stringify(found)).not.toContain(server.apiKey);
    }
  },
);

test('what changes nothing has no entry', async () => {
  const server = start();
  for (const change of [
    () => server.templates.remove('unknown'),
    () => server.faults.remove('unknown'),
    () => server.subscriptions.remove('unknown'),
    () => server.templates.update('unknown', { status: 'paused' }),
    () => server.clock.set(-1),
    () => server.keys.revoke('unknown'),
    () => server.managedWebhooks.create({ ...webhook, url: 'http://10.0.0.1/' }),
  ]) {
    await change().catch(() => {});
  }
  expect(await server.journal.entries()).toEqual([]);
});
