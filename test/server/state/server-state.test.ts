import {
  createReferenceServer,
  type FaultRule,
  type ReferenceServer,
  type ReferenceServerOptions,
  type ServerState,
} from 'messaging-automation/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.js';
import { reply, startReceiver } from '../support/receiver.js';
import { askWith, otherPhone, phone, seed, startServer } from '../support/reference.js';

const message = { phone, templateId: 'welcome', variables: { '1': 'Ada' } };

/** Another server that resumes this one: its state as a file would hold it. */
async function resume(
  server: ReferenceServer,
  options: Omit<ReferenceServerOptions, 'state'> = {},
): Promise<ReferenceServer> {
  const state: ServerState = JSON.parse(JSON.stringify(await server.state()));
  const again = createReferenceServer({ apiKey: server.apiKey, ...options, state });
  onTestFinished(() => again.close());
  return again;
}

async function statusFor(server: ReferenceServer, apiKey: string): Promise<number> {
  return (await askWith(server, { apiKey })('GET', '/v1/templates')).status;
}

/** For each of so many requests, whether a fault appliedTo it. */
async function appliedTo(server: ReferenceServer, requests: number): Promise<readonly boolean[]> {
  const strikes: boolean[] = [];
  for (let count = 0; count < requests; count += 1) {
    strikes.push((await askWith(server)('GET', '/v1/templates')).status !== 200);
  }
  return strikes;
}

describe('a server that goes on from a state', () => {
  test('holds what the other held, at its time', async () => {
    const receiver = await startReceiver(reply(500), reply(204));
    const server = startServer({
      ...seed,
      journeys: [
        { id: 'thank', event: 'order_placed', steps: [{ send: 'welcome', variables: { '1': 'you' } }] },
        { id: 'insist', event: 'order_placed', steps: [{ send: 'gone' }] },
      ],
      templates: [...seed.templates, { id: 'gone', body: 'Gone', status: 'paused' }],
      quota: 3,
      now: '2026-01-01T09:00:00Z',
      specGaps: { listBody: 'array' },
    });
    await server.client.transactional.send(message);
    await server.client.webhooks.create({ url: receiver.url, events: ['message.received'] });
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    await server.client.events.track({ event: 'order_placed', phone });
    await server.clock.advance('1d');
    const [delivered] = await server.journal.deliveries();
    await server.deliveries.redeliver(delivered?.id ?? '');
    await server.settled();
    const again = await resume(server);

    expect(again.id).toBe(server.id);
    expect(new Date(again.clock.now()).toISOString()).toBe('2026-01-02T09:00:00.000Z');
    expect((await again.client.contacts.find(phone))?.properties.firstName).toBe('Ada');
    expect(await again.journal.segmentMembers('buyers')).toHaveLength(1);
    expect(await again.client.webhooks.list()).toEqual(await server.client.webhooks.list());
    expect((await askWith(again)('GET', '/v1/templates')).body).toHaveLength(2);
    const state = await again.state();
    expect(state.workspaces).toMatchObject([
      { sends: [{}, {}], journeyRuns: [{}, {}], deliveries: [{}, {}] },
    ]);
    expect(state).toEqual(await server.state());
  });

  test('has all workspaces, and makes more as the other did', async () => {
    const server = startServer({ specGaps: { listBody: 'named' }, deliveryTimestamps: 'machine' });
    const second = server.workspace({ contacts: [{ phone: otherPhone }], clock: 'flowing', quota: 7 });
    const third = server.workspace({ contacts: [{ phone: otherPhone }] });
    const again = await resume(server);

    for (const workspace of [second, third]) {
      const found = await askWith(again, workspace)('GET', '/v1/contacts/find?phone=%2B442071838750');
      expect(found.status).toBe(200);
    }
    expect((await again.state()).workspaces).toMatchObject([
      { clock: { flow: 'frozen' } },
      { workspace: { id: second.id, quota: 7 }, clock: { flow: 'flowing' } },
      { workspace: { id: third.id } },
    ]);
    again.workspace();
    expect((await again.state()).workspaces[3]).toMatchObject({
      clock: { flow: 'frozen' },
      initialState: { settings: { deliveryTimestamps: 'machine' } },
      specGaps: { listBody: 'named' },
    });
  });

  test('can be reset to what the other began with', async () => {
    const faults: FaultRule[] = [{ operation: 'webhooks.list', fault: { kind: 'status', status: 503 } }];
    const server = startServer({
      ...seed,
      faults,
      now: '2026-01-01T09:00:00Z',
      specGaps: { listBody: 'array' },
    });
    await server.faults.clear();
    await server.client.contacts.delete((await server.client.contacts.find(phone))?.id ?? '');
    await server.clock.advance('1d');
    await server.specGaps.set({ listBody: 'named' });
    const again = await resume(server);
    expect(again.specGaps.read()).toMatchObject({ listBody: 'named' });
    await again.reset();

    expect(new Date(again.clock.now()).toISOString()).toBe('2026-01-01T09:00:00.000Z');
    expect((await again.client.contacts.find(phone))?.properties.firstName).toBe('Ada');
    expect(again.specGaps.read()).toMatchObject({ listBody: 'array' });
    expect((await again.faults.list()).map(({ rule }) => rule)).toEqual(faults);
  });

  test('keeps a clock as it became, and is reset to the clock that the other began with', async () => {
    const server = startServer({ now: '2026-01-01T09:00:00Z' });
    await server.clock.flow();
    const flowing = await resume(server);
    expect(flowing.clock.isFrozen).toBe(false);
    await flowing.reset();
    expect(flowing.clock.isFrozen).toBe(true);
    expect(new Date(flowing.clock.now()).toISOString()).toBe('2026-01-01T09:00:00.000Z');
    await server.clock.freeze();
    expect((await resume(server)).clock.isFrozen).toBe(true);
  });

  test('has a flowing clock as far ahead as it was, and does what became due in between', async () => {
    const machine = new ManualClock();
    const receiver = await startReceiver(reply(500), reply(204));
    const journeys = [
      {
        id: 'greet',
        event: 'seen',
        steps: [{ wait: '15s' }, { send: 'welcome', variables: { '1': 'Ada' } }],
      },
    ] as const;
    const server = startServer({ ...seed, journeys, clock: 'flowing', systemClock: machine });
    await server.clock.advance('1d');
    await server.client.webhooks.create({ url: receiver.url, events: ['message.received'] });
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    await server.client.events.track({ event: 'seen', phone });
    await server.settled();
    const before = server.clock.now();
    const state = await server.state();
    await server.close();
    machine.pass(20_000);
    const again = createReferenceServer({ state, systemClock: machine });
    onTestFinished(() => again.close());
    await receiver.arrived(2);
    await again.sends.waitFor({ templateId: 'welcome' });

    expect(again.clock.now()).toBe(before + 20_000);
    await again.settled();
    expect(await again.journal.deliveries()).toMatchObject([{ status: 'delivered', attempts: [{}, {}] }]);
    expect(await again.journal.journeyRuns()).toMatchObject([{ status: 'finished' }]);
  });

  test('counts and draws on for its faults, as if it had never ended', async () => {
    const faults: FaultRule[] = [
      { operation: 'templates.list', probability: 0.5, fault: { kind: 'status', status: 500 } },
      { operation: 'templates.list', nth: 25, fault: { kind: 'status', status: 503 } },
    ];
    const [uninterrupted, server] = [startServer({ faults }), startServer({ faults })];
    const expected = await appliedTo(uninterrupted, 40);
    const first = await appliedTo(server, 20);
    const again = await resume(server);

    expect([...first, ...(await appliedTo(again, 20))]).toEqual(expected);
    expect(await again.faults.list()).toEqual(await uninterrupted.faults.list());
    const fault = { kind: 'status', status: 500 } as const;
    await uninterrupted.faults.add({ operation: 'templates.list', probability: 0.5, fault });
    await again.faults.add({ operation: 'templates.list', probability: 0.5, fault });
    expect((await again.faults.list()).at(-1)).toEqual((await uninterrupted.faults.list()).at(-1));
    expect(await appliedTo(again, 20)).toEqual(await appliedTo(uninterrupted, 20));
  });
});

describe('the keys of a server that goes on', () => {
  test('are those that it had, and none is in the state', async () => {
    const server = startServer();
    const issued = await server.keys.issue();
    const revoked = await server.keys.issue();
    await server.keys.revoke(revoked);
    const other = server.workspace();
    const text = JSON.stringify(await server.state());
    const again = await resume(server, { apiKey: undefined });

    for (const key of [server.apiKey, issued, revoked, other.apiKey]) expect(text).not.toContain(key);
    for (const key of [server.apiKey, issued, other.apiKey]) expect(await statusFor(again, key)).toBe(200);
    expect(await statusFor(again, revoked)).toBe(401);
  });

  test('are joined by the one that it is given, or makes up', async () => {
    const server = startServer();
    const given = await resume(server, { apiKey: 'new_key' });
    expect([given.apiKey, await statusFor(given, 'new_key')]).toEqual(['new_key', 200]);
    const madeUp = await resume(server, { apiKey: undefined });
    expect(await madeUp.client.templates.list()).toEqual([]);
    expect((await resume(given)).keys).toBeDefined();
    expect((await (await resume(given)).state()).workspaces[0].apiKeyDigests).toHaveLength(2);
  });

  test('do not include the one it was started with where that was revoked since', async () => {
    const server = startServer({ apiKey: 'first_key' });
    const second = await server.keys.rotate('first_key');
    const again = await resume(server, { apiKey: 'first_key' });

    expect(await statusFor(again, 'first_key')).toBe(401);
    expect(await statusFor(again, second)).toBe(200);
  });

  test('do not include that of another workspace', async () => {
    const server = startServer();
    for (const { apiKey } of [server.workspace(), server.workspace()]) {
      await expect(resume(server, { apiKey })).rejects.toThrow('belongs to another workspace of the state');
    }
  });
});

describe('a state', () => {
  test('that another server wrote in a newer form is refused with the way out', async () => {
    const state = { ...(await startServer().state()), version: 3 };
    expect(() => Reflect.apply(createReferenceServer, undefined, [{ state }])).toThrow(
      /version 3, but this package only reads versions 1 and 2\. Use the newer package/,
    );
  });

  test.each([
    ['nothing', {}, 'workspaces'],
    ['no workspace', { workspaces: [] }, 'workspaces'],
    ['an unknown field', { flavour: 'mint' }, 'flavour is not a known field'],
    ['a digest that is none', { apiKeyDigest: 'test_key' }, 'apiKeyDigest must be the SHA-256 digest'],
  ])('with %s is refused by its fields', async (name, change, words) => {
    const whole = await startServer().state();
    const state = name === 'nothing' ? change : { ...whole, ...change };
    expect(() => Reflect.apply(createReferenceServer, undefined, [{ state }])).toThrow(words);
  });

  test.each([
    ['clock.now', { clock: { flow: 'frozen', now: 1e300 } }],
    ['clock.ahead', { clock: { flow: 'flowing', ahead: '1d' } }],
    ['contacts[0].id', { contacts: [{ id: 1, phone, properties: {}, consent: 'unknown' }] }],
    [
      'faults.rules[0].random',
      { faults: { randomSeed: 1, streams: 2, added: 1, randomOfHeaders: [0, 0, 0, 1], rules: [{}] } },
    ],
    ['specGaps.listBody', { specGaps: { listBody: 'heap' } }],
    ['apiKeyDigests[0]', { apiKeyDigests: ['test_key'] }],
  ])('whose workspace is damaged in %s is refused by that name', async (field, change) => {
    const whole = await startServer().state();
    const state = { ...whole, workspaces: [{ ...whole.workspaces[0], ...change }] };
    expect(() => Reflect.apply(createReferenceServer, undefined, [{ state }])).toThrow(
      `workspaces[0].${field}`,
    );
  });

  test('with one workspace twice, or one key for two, is refused', async () => {
    const server = startServer();
    server.workspace();
    const whole = await server.state();
    const [first, second = first] = whole.workspaces;
    const { apiKeyDigests } = first;
    for (const other of [first, { ...second, apiKeyDigests }]) {
      expect(() => createReferenceServer({ state: { ...whole, workspaces: [first, other] } })).toThrow(
        `Two workspaces have the id ${other.workspace.id}, or one of the keys`,
      );
    }
  });

  test('stands beside no seed, and the refusal names each field', async () => {
    const state = await startServer().state();
    const both = () => createReferenceServer({ state, quota: 1, clock: 'frozen' });
    expect(both).toThrow('quota cannot be combined with state');
    expect(both).toThrow('clock cannot be combined with state');
    expect(() => Reflect.apply(createReferenceServer, undefined, [{ state: 'state.json' }])).toThrow(
      'state must be the result of state() of a server',
    );
  });
});

/** How often a server has told of a change since. */
function changesOf(server: ReferenceServer) {
  const changes = { told: 0, end: () => {} };
  changes.end = server.onChange(() => {
    changes.told += 1;
  });
  return changes;
}

describe('a server tells of a change', () => {
  const fault = { kind: 'stall' } as const;
  test.each<[string, (server: ReferenceServer) => unknown]>([
    ['a contact', ({ client }) => client.contacts.upsert({ phone: otherPhone })],
    ['a send', ({ client }) => client.transactional.send(message)],
    ['an event', ({ client }) => client.events.track({ event: 'seen', phone })],
    ['a message', ({ simulate }) => simulate.inboundMessage({ phone, body: 'STOP' })],
    ['a key', ({ keys }) => keys.issue()],
    ['a rule', ({ faults }) => faults.add({ delivery: 'message.received', fault })],
    ['no rules', ({ faults }) => faults.clear()],
    ['a later time', ({ clock }) => clock.advance('1s')],
    ['another specGap', ({ specGaps }) => specGaps.set({ listBody: 'array' })],
    ['another template', ({ templates }) => templates.put({ id: 'bye', body: 'Bye' })],
    ['a reset', (server) => server.reset()],
    ['another workspace', (server) => server.workspace().client.templates.list()],
  ])('%s', async (_, change) => {
    const server = startServer({ ...seed, faults: [{ delivery: 'any', fault }] });
    await server.client.templates.list();
    const before = JSON.stringify(await server.state());
    const changes = changesOf(server);
    await change(server);

    expect(changes.told).toBeGreaterThan(0);
    expect(JSON.stringify(await server.state())).not.toBe(before);
    changes.end();
    const last = changes.told;
    await server.client.contacts.upsert({ phone });
    expect(changes.told).toBe(last);
  });

  test('of a rule that counts', async () => {
    const server = startServer({ faults: [{ operation: 'any', nth: 9, fault }] });
    await server.client.templates.list();
    const changes = changesOf(server);
    await server.client.templates.list();

    expect(changes.told).toBeGreaterThan(0);
    expect((await server.state()).workspaces[0].faults.rules).toMatchObject([{ matched: 2 }]);
  });

  test('and not of being read', async () => {
    const server = startServer(seed);
    await server.client.templates.list();
    const changes = changesOf(server);
    await server.client.contacts.find(phone);
    await server.client.templates.list();
    await server.client.webhooks.list();
    await server.journal.sends();
    await server.journal.segmentMembers('buyers');
    await server.snapshot();
    await server.state();
    await server.settled();

    expect(changes.told).toBe(0);
  });
});
