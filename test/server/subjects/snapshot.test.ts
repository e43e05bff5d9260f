import {
  ConfigurationError,
  createReferenceServer,
  parseServerState,
  type WorkspaceSnapshot,
} from 'messaging-automation/server';
import { describe, expect, test, vi } from 'vitest';
import { MemoryJourneys } from '../../../src/server/store/memory/memory-journeys.js';
import { ManualClock } from '../support/manual-clock.js';
import { reply, startReceiver } from '../support/receiver.js';
import { otherPhone, phone, seed, startServer } from '../support/reference.js';

describe('a snapshot', () => {
  test('restores the records and the time of a workspace, but not whether its clock flows', async () => {
    const server = startServer({ ...seed, systemClock: new ManualClock() });
    const { client, clock } = server;
    await client.events.track({ event: 'order_placed', phone });
    const snapshot = await server.snapshot();
    expect(JSON.stringify(snapshot)).not.toContain(server.apiKey);
    const time = clock.now();

    await client.transactional.send({ phone, templateId: 'welcome', variables: { '1': 'Ada' } });
    await client.contacts.upsert({ phone, properties: { firstName: 'Grace' } });
    await client.contacts.upsert({ phone: otherPhone });
    await clock.advance('1d');
    await clock.flow();
    await server.restore(snapshot);

    expect(clock.isFrozen).toBe(false);
    await clock.freeze();
    expect(clock.now()).toBe(time);
    expect(await server.snapshot()).toEqual(snapshot);
  });

  test('starts the run of an event that waits to be processed once', async () => {
    const journeys = [{ id: 'greet', event: 'order_placed', steps: [{ wait: '1d' }] }] as const;
    const server = startServer({ ...seed, journeys });
    await server.client.events.track({ event: 'order_placed', phone });
    const snapshot = await server.snapshot();
    const waitingEventIds = snapshot.events.map(({ id }) => id);
    using claim = vi.spyOn(MemoryJourneys.prototype, 'claimRun');
    await server.restore({ ...snapshot, journeyRuns: [], waitingEventIds });
    await server.settled();

    expect(await server.journal.journeyRuns()).toMatchObject([{ status: 'waiting' }]);
    expect(claim).toHaveBeenCalledTimes(1);
  });

  test.each([
    [null, 'the value must be an object'],
    [{ version: 2 }, 'version must be 1'],
    [{ version: 1, takenAt: 'yesterday' }, 'takenAt must be an ISO 8601 time'],
    [{ contacts: [{ id: 1 }] }, 'contacts[0].id must be a string'],
  ])('is rejected if it is invalid: %j', async (snapshot, words) => {
    const server = startServer(seed);
    const refused = Reflect.apply(server.restore, server, [snapshot]);
    await expect(refused).rejects.toThrow(ConfigurationError);
    await expect(Reflect.apply(server.restore, server, [snapshot])).rejects.toThrow(words);
    expect(await server.client.contacts.find(phone)).not.toBeNull();
  });
});

type Change = (snapshot: WorkspaceSnapshot) => WorkspaceSnapshot;
const subscribed =
  (changes: object): Change =>
  ({ subscriptions: [one, ...others], ...rest }) => {
    if (one === undefined) throw new Error('The snapshot has no subscription.');
    return { ...rest, subscriptions: [{ ...one, ...changes }, ...others] };
  };
test.each<[string, Change]>([
  ['subscriptions[0].url must begin with https://', subscribed({ url: 'file:///etc/hosts' })],
  ['subscriptions[0].url must be a URL', subscribed({ url: 'nonsense' })],
  ['subscriptions[0].secret must be a secret that can sign', subscribed({ secret: '' })],
  [
    'deliveries[0].url must resolve to a public address',
    ({ deliveries, ...rest }) => ({
      ...rest,
      deliveries: deliveries.map((delivery) => ({ ...delivery, url: 'https://10.0.0.1/' })),
    }),
  ],
  [
    'contacts[2].phone must not repeat an earlier phone',
    ({ contacts, ...rest }) => ({
      ...rest,
      contacts: [...contacts, ...contacts.slice(0, 1).map((contact) => ({ ...contact, id: 'c9' }))],
    }),
  ],
  [
    'contacts[2].id must not repeat an earlier id',
    ({ contacts, ...rest }) => ({
      ...rest,
      contacts: [
        ...contacts,
        ...contacts.slice(0, 1).map((contact) => ({ ...contact, phone: '+15550001111' })),
      ],
    }),
  ],
])('what could not be created by hand is refused in a snapshot and in a state: %s', async (words, change) => {
  const receiver = await startReceiver(reply(500));
  const server = startServer({ ...seed, contacts: [{ phone }, { phone: otherPhone }] });
  await server.client.webhooks.create({ url: receiver.url, events: ['message.received'] });
  await server.simulate.inboundMessage({ phone, body: 'Hello' });
  const changed = change(await server.snapshot());
  await expect(startServer({}).restore(changed)).rejects.toThrow(words);

  const { version: _, takenAt: __, ...records } = changed;
  const state = await server.state();
  const workspaces = state.workspaces.map((workspace) => ({ ...workspace, ...records }));
  expect(() => createReferenceServer({ state: parseServerState({ ...state, workspaces }) })).toThrow(words);
});
