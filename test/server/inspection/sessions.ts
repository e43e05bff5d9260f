import type { ReferenceServer, SpecGaps, WorkspaceSnapshot } from 'messaging-automation/server';
import { webhookEventTypes } from '../../../src/contract/webhook-event-type.js';
import { otherPhone, phone, startServer } from '../support/reference.js';

/** A generator of numbers from 0 up to, but not including, 1. The same seed gives the same numbers. */
export function numbersFrom(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), state | 1) + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 7), state | 61) ^ state;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const refused = () => undefined;

/** What a session works with. */
interface Session {
  readonly server: ReferenceServer;
  /** Returns one of the items. */
  oneOf<Item>(...items: readonly [Item, ...Item[]]): Item;
  readonly keys: string[];
  snapshot: WorkspaceSnapshot | undefined;
}

const urls = ['https://one.example/hooks', 'https://two.example/hooks'] as const;

const aSend = ({ oneOf }: Session) => ({
  phone: oneOf(phone, otherPhone),
  templateId: oneOf('welcome', 'thanks'),
  variables: { '1': oneOf('Ada', 'Grace') },
});

const aContact = async ({ server, oneOf }: Session) =>
  (await server.contacts.read(oneOf(phone, otherPhone)))?.id ?? 'contact_of_nobody';

const aSubscription = async ({ server, oneOf }: Session) => {
  const [first, ...others] = await server.subscriptions.list();
  return first === undefined ? 'webhook_of_nobody' : oneOf(first, ...others).id;
};

/** All that a person can do in the page, and a program beside it. */
export const actions: Readonly<Record<string, (session: Session) => Promise<unknown>>> = {
  send: (session) => session.server.client.transactional.send(aSend(session)),
  async sendToTwo({ server }) {
    const variables = { '1': 'Ada' };
    for (const each of [phone, otherPhone]) {
      await server.client.transactional.send({ phone: each, templateId: 'welcome', variables });
    }
  },
  track: ({ server, oneOf }) =>
    server.client.events.track({ phone: oneOf(phone, otherPhone), event: oneOf('seen', 'ordered') }),
  async trackTwo({ server }) {
    for (const each of [phone, otherPhone, phone])
      await server.client.events.track({ phone: each, event: 'seen' });
  },
  async trackById(session) {
    await session.server.client.events.track({ contactId: await aContact(session), event: 'ordered' });
  },
  upsert: ({ server, oneOf }) =>
    server.client.contacts.upsert({
      phone: oneOf(phone, otherPhone, '+15005550101'),
      properties: { firstName: oneOf('Ada', 'Grace') },
    }),
  find: ({ server, oneOf }) => server.client.contacts.find(oneOf(phone, otherPhone, '+15005550102')),
  async get(session) {
    await session.server.client.contacts.get(await aContact(session));
  },
  async update(session) {
    const properties = { city: session.oneOf('Paris', 'Rome') };
    await session.server.client.contacts.update(await aContact(session), { properties });
  },
  async deleteContact(session) {
    await session.server.client.contacts.delete(await aContact(session));
  },
  unknown: ({ server }) => server.client.contacts.get('contact_of_nobody'),
  invalid: ({ server }) =>
    server.fetch('http://localhost/api/v1/contacts', {
      method: 'POST',
      body: '{"phone": "not a phone"}',
      headers: { Authorization: `Bearer ${server.apiKey}`, 'Content-Type': 'application/json' },
    }),
  says: ({ server, oneOf }) => server.contact(oneOf(phone, otherPhone)).says(oneOf('Hello', "It's me")),
  stop: ({ server, oneOf }) => server.contact(oneOf(phone, otherPhone)).says(oneOf('STOP', 'START')),
  async redeliver({ server, oneOf }) {
    const [first, ...others] = await server.deliveries.find();
    if (first !== undefined) await server.deliveries.redeliver(oneOf(first, ...others).id);
  },
  async restoreQuota(session) {
    const { server } = session;
    await server.quota.set({ quota: session.oneOf(0, 1), addOnCredits: 0 });
    await server.client.transactional.send(aSend(session)).catch(refused);
    await server.client.transactional.send(aSend(session)).catch(refused);
    await server.quota.set({ quota: 100 });
    await server.client.transactional.send(aSend(session));
  },
  async requestFault(session) {
    const { server, oneOf } = session;
    const operation = oneOf('contacts.find', 'transactional.send', 'any');
    const fault = oneOf(
      { kind: 'status', status: 503 } as const,
      { kind: 'reset', when: 'after_commit' } as const,
      { kind: 'malformed_json' } as const,
    );
    await server.faults.add({ operation, fault, times: 1 });
    await server.client.contacts.find(phone).catch(refused);
    await server.client.transactional.send(aSend(session));
  },
  async deliveryFault({ server, oneOf }) {
    const fault = oneOf({ kind: 'status', status: 500 } as const, { kind: 'tamper' } as const);
    await server.faults.add({ delivery: oneOf('any', 'message.received'), fault, times: 1 });
    await server.contact(phone).says('Faulty');
  },
  clearFaults: ({ server }) => server.faults.clear(),
  async gaps({ server, oneOf }) {
    await server.specGaps.set(
      oneOf<Partial<SpecGaps>>(
        { unknownIdStatus: 410 } as const,
        { sendToOptedOut: 'refuse' } as const,
        { sendToOptedOut: 'allow', unknownTemplate: 'not_found' } as const,
      ),
    );
    await server.client.contacts.get('contact_of_nobody').catch(refused);
  },
  async rateLimit({ server }) {
    await server.specGaps.set({ rateLimit: { requests: 1, per: '1m' } });
    await server.client.contacts.find(phone).catch(refused);
    await server.client.contacts.find(otherPhone).catch(refused);
    await server.specGaps.set({ rateLimit: 'off' });
  },
  advance: ({ server, oneOf }) => server.clock.advance(oneOf('1m', '1h', '1d')),
  next: ({ server }) => server.clock.advanceToNext(),
  idle: ({ server }) => server.clock.runToIdle(),
  async pause(session) {
    const { server, oneOf } = session;
    const templateId = oneOf('welcome', 'thanks');
    await server.templates.update(templateId, { status: 'paused' });
    await server.client.transactional.send({ ...aSend(session), templateId }).catch(refused);
    await server.templates.update(templateId, { status: 'approved' });
  },
  rewrite: ({ server, oneOf }) =>
    server.templates.update('welcome', { body: oneOf('Hi, {{1}}!', 'Hey, {{1}}!') }),
  async newTemplate({ server }) {
    await server.client.transactional.send({ phone, templateId: 'soon' }).catch(refused);
    await server.templates.put({ id: 'soon', body: 'Soon' });
    await server.client.transactional.send({ phone, templateId: 'soon' });
    await server.templates.remove('soon');
  },
  async keysChange({ server, keys }) {
    keys.push(await server.keys.issue());
    keys.push(await server.keys.rotate(keys.shift() ?? ''));
  },
  async keysRevoke({ server, keys }) {
    const key = keys.shift();
    if (key !== undefined) await server.keys.revoke(key);
  },
  async take(session) {
    session.snapshot = await session.server.snapshot();
  },
  async load(session) {
    if (session.snapshot !== undefined) await session.server.restore(session.snapshot);
    await session.server.client.transactional.send(aSend(session));
  },
  subscribe: ({ server, oneOf }) =>
    server.client.webhooks.create({ url: oneOf(...urls), events: ['message.received'] }),
  manage: ({ server, oneOf }) =>
    server.managedWebhooks.create({ url: oneOf(...urls), events: [...webhookEventTypes] }),
  async listen({ server, oneOf }) {
    const { id } = await server.listeners.create({ url: 'http://localhost:3000/hooks' });
    if (oneOf(true, false)) await server.listeners.remove(id);
  },
  async unsubscribe(session) {
    await session.server.client.webhooks.delete(await aSubscription(session));
  },
  async removeSubscription(session) {
    await session.server.subscriptions.remove(await aSubscription(session));
  },
  receiver: ({ server, oneOf }) => server.receiver.set({ mode: oneOf('verify', 'error') }),
  async journey({ server, oneOf }) {
    await server.journeys.put({
      id: 'greet',
      event: 'seen',
      steps: [{ wait: oneOf('1h', '2h') }, { send: 'thanks' }],
    });
  },
  async segment({ server, oneOf }) {
    await server.segments.put({
      id: 'locals',
      where: [{ property: 'city', equals: oneOf('Paris', 'Rome') }],
    });
  },
};

const seed = {
  now: '2026-03-02T09:00:00Z',
  contacts: [
    { phone, properties: { firstName: 'Ada' } },
    { phone: otherPhone, properties: { firstName: 'Grace', city: 'Paris' } },
  ],
  templates: [
    { id: 'welcome', body: 'Welcome, {{1}}!' },
    { id: 'thanks', body: 'Thanks!' },
  ],
  segments: [
    { id: 'locals', where: [{ property: 'city', equals: 'Paris' }] },
    { id: 'buyers', event: 'ordered' },
  ],
  journeys: [
    {
      id: 'greet',
      event: 'seen',
      steps: [{ wait: '1h' }, { send: 'welcome', variables: { 1: { contact: 'firstName' } } }],
    },
    {
      id: 'sell',
      event: 'seen',
      steps: [{ branch: { segment: 'locals' }, do: [{ send: 'thanks' }], else: [{ wait: '1d' }] }],
    },
  ],
  managedWebhooks: [
    { url: urls[0], events: ['message.received', 'contact.opted_out'] },
    { url: urls[0], events: ['message.received'] },
  ],
} as const;

/** Does what a seed says, and returns the server, the names of what was done, and the entry after which a person recorded. */
export async function sessionOf(number: number, acts = 12) {
  const next = numbersFrom(number);
  const oneOf: Session['oneOf'] = (...items) => items[Math.floor(next() * items.length)] ?? items[0];
  const server = startServer({
    ...seed,
    clock: number % 4 === 0 ? 'flowing' : 'frozen',
    receiverAddresses: 'any',
    fetch: async () => new Response(null, { status: oneOf(200, 200, 500) }),
  });
  const session: Session = { server, oneOf, keys: [], snapshot: undefined };
  const names = Object.keys(actions);
  const done: string[] = [];
  let since = 0;
  for (let act = 0; act < acts; act += 1) {
    const name = oneOf('send', ...names);
    done.push(name);
    await actions[name]?.(session).catch(refused);
    if (next() < 0.8) await server.settled();
    if (act === 2 && number % 3 === 0) since = (await server.journal.entries()).length;
  }
  await server.settled();
  return { server, done, since };
}
