import {
  createReferenceServer,
  parseWorkspaceSeed,
  type ReferenceServer,
  type WorkspaceSeed,
} from 'messaging-automation/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.js';
import { reply, startReceiver } from '../support/receiver.js';
import { askWith, otherPhone, phone, startServer } from '../support/reference.js';

const now = '2026-01-01T09:00:00.000Z';

/** A workspace with something of every kind. */
async function openRich(): Promise<ReferenceServer> {
  const server = startServer({ now, quota: 5, templates: [{ id: 'hi', body: 'Hi {{1}}' }] });
  await server.templates.put({ id: 'thanks', body: 'Danke!', name: 'Thanks', language: 'de' });
  await server.templates.update('hi', { status: 'paused' });
  await server.segments.put({ id: 'regulars', event: 'bought', atLeast: 3, within: '30d' });
  await server.segments.put({ id: 'seen', event: 'seen' });
  await server.segments.put({ id: 'parisians', where: [{ property: 'city', equals: 'Paris' }] });
  await server.journeys.put({
    id: 'thank',
    event: 'bought',
    steps: [
      { wait: '36h' },
      {
        branch: { segment: 'regulars' },
        do: [{ send: 'thanks' }],
        else: [{ send: 'hi', variables: { '1': { contact: 'firstName' } } }, { wait: '1d' }],
      },
    ],
  });
  const properties = { firstName: 'Zoë', visits: 3, vip: true, interests: ['chess', 'running'], note: '' };
  await server.client.contacts.upsert({ phone, properties });
  await server.client.contacts.upsert({ phone: otherPhone });
  await server.managedWebhooks.create({
    url: 'https://platform.example.com/hooks',
    events: ['contact.opted_in', 'contact.opted_out'],
    secret: 'whsec_of_the_platform',
  });
  await server.client.webhooks.create({ url: 'https://example.com/hooks', events: ['contact.opted_out'] });
  await server.client.transactional.send({ phone, templateId: 'thanks' });
  await server.quota.set({ addOnCredits: 7 });
  await server.specGaps.set({ listBody: 'array', retryBackoff: ['1s', '5m'] });
  await server.specGaps.set({ rateLimit: { requests: 100, per: '1m' } });
  await server.faults.add({
    operation: 'contacts.find',
    nth: 9,
    fault: { kind: 'reset', when: 'after_commit' },
  });
  await server.faults.add({ delivery: 'any', probability: 0.5, fault: { kind: 'duplicate' } });
  await server.clock.advance('90s');
  return server;
}

/** Another server from a seed, as a file would hold it. */
function startFrom(seed: WorkspaceSeed): ReferenceServer {
  const server = createReferenceServer(parseWorkspaceSeed(JSON.parse(JSON.stringify(seed))));
  onTestFinished(() => server.close());
  return server;
}

/** What a workspace is, without the ids that the service makes up. */
async function contentOf(server: ReferenceServer): Promise<object> {
  const contacts = (await server.contacts.list()).data;
  const { workspace, subscriptions } = await server.snapshot();
  return {
    ...workspace,
    id: '',
    contacts: contacts.map(({ id: _, ...contact }) => contact),
    subscriptions: subscriptions.map(({ url, events, secret }) => ({ url, events, secret })),
    specGaps: server.specGaps.read(),
    faults: (await server.faults.list()).map(({ rule }) => rule),
    now: server.clock.now(),
    isFrozen: server.clock.isFrozen,
  };
}

describe('the seed of a workspace', () => {
  test('creates an equal workspace, with the same seed', async () => {
    const server = await openRich();
    const seed = await server.seed();
    const again = startFrom(seed);
    expect(await contentOf(again)).toEqual(await contentOf(server));
    expect(await again.seed()).toEqual(seed);
    const further = server.workspace(seed);
    expect(await further.seed()).toEqual(seed);
    expect((await again.contacts.list()).data).toHaveLength(2);
  });

  test('leaves out what happened: sends, events, runs, deliveries and consent', async () => {
    const receiver = await startReceiver(reply(500));
    const server = startServer({
      templates: [{ id: 'hi', body: 'Hi' }],
      journeys: [{ id: 'later', event: 'seen', steps: [{ wait: '1d' }, { send: 'hi' }] }],
      managedWebhooks: [{ url: receiver.url, events: ['message.received', 'contact.opted_out'] }],
    });
    await server.simulate.inboundMessage({ phone, body: 'STOP' });
    await server.client.events.track({ event: 'seen', phone });
    await server.client.transactional.send({ phone, templateId: 'hi' });
    const again = startFrom(await server.seed());
    expect(await again.snapshot()).toMatchObject({
      contacts: [{ phone, consent: 'unknown' }],
      events: [],
      journeyRuns: [],
      sends: [],
      deliveries: [],
    });
    expect(await again.journal.quota()).toEqual({ quota: 999, addOnCredits: 0 });
  });

  test('is valid after definitions were removed that others need', async () => {
    const server = startServer({
      templates: [
        { id: 'hi', body: 'Hi' },
        { id: 'bye', body: 'Bye' },
      ],
      segments: [{ id: 'seen', event: 'seen' }],
      journeys: [
        { id: 'kept', event: 'a', steps: [{ send: 'hi' }] },
        { id: 'no_template', event: 'a', steps: [{ send: 'bye' }] },
        { id: 'no_segment', event: 'a', steps: [{ branch: { segment: 'seen' }, do: [{ send: 'hi' }] }] },
      ],
      specGaps: { nestedProperty: 'accept' },
    });
    await server.templates.remove('bye');
    await server.segments.remove('seen');
    await askWith(server)('POST', '/v1/contacts', {
      phone,
      properties: { city: 'Paris', nested: { a: 1 }, nothing: null },
    });
    const { id } = await server.managedWebhooks.create({
      url: 'https://example.com/hooks',
      events: ['message.received'],
    });
    await server.faults.add({ delivery: 'any', subscriptionId: id, fault: { kind: 'duplicate' } });
    const seed = await server.seed();
    expect(seed.journeys).toEqual([{ id: 'kept', event: 'a', steps: [{ send: 'hi' }] }]);
    expect(seed.contacts).toEqual([{ phone, properties: { city: 'Paris' } }]);
    expect(seed.faults).toBeUndefined();
    expect(await startFrom(seed).seed()).toEqual(seed);
  });

  test('has the time of a clock that differs from the machine’s, ahead or behind', async () => {
    const machine = new ManualClock();
    const server = startServer({ clock: 'flowing', systemClock: machine });
    expect(await server.seed()).toMatchObject({ clock: 'flowing', now: undefined });
    await server.clock.advance('1d');
    expect(await server.seed()).toMatchObject({ clock: 'flowing', now: '2026-01-02T00:00:00.000Z' });
    await server.clock.freeze();
    expect(await server.seed()).toMatchObject({ clock: 'frozen', now: '2026-01-02T00:00:00.000Z' });
    const behind = server.workspace({ clock: 'flowing', now: '2025-01-01T00:00:00.000Z' });
    expect(await behind.seed()).toMatchObject({ clock: 'flowing', now: '2025-01-01T00:00:00.000Z' });
  });
});
