import type { ReferenceServer, ReferenceServerOptions } from 'messaging-automation/server';
import { reply, startReceiver } from '../support/receiver.js';
import { askWith, otherPhone, phone, startServer } from '../support/reference.js';
import { startWithEveryEntry } from './every-entry.js';

const refused = () => undefined;

const seed = {
  now: '2026-03-02T09:00:00Z',
  contacts: [{ phone, properties: { firstName: 'Ada' } }],
  templates: [{ id: 'welcome', body: 'Welcome, {{1}}!' }],
} satisfies ReferenceServerOptions;

const send = { phone, templateId: 'welcome', variables: { '1': 'Ada' } };

/** Servers in which something happened that a copy can only repeat in a world of its own. */
export const stories: Readonly<Record<string, () => Promise<ReferenceServer>>> = {
  everything: startWithEveryEntry,

  async quota() {
    const server = startServer({ ...seed, quota: 2 });
    for (let sends = 0; sends < 3; sends += 1) await server.client.transactional.send(send).catch(refused);
    await server.quota.set({ quota: 100 });
    return server;
  },

  async limit() {
    const server = startServer({ ...seed, specGaps: { rateLimit: { requests: 1, per: '1m' } } });
    await server.client.contacts.find(phone);
    await server.client.contacts.find(phone).catch(refused);
    return server;
  },

  async changed() {
    const server = startServer({ ...seed, specGaps: { unknownTemplate: 'not_found' } });
    const { client, templates } = server;
    await client.transactional.send({ phone, templateId: 'soon' }).catch(refused);
    await templates.put({ id: 'soon', body: 'Soon' });
    await templates.update('welcome', { status: 'paused' });
    await client.transactional.send(send).catch(refused);
    await templates.update('welcome', { status: 'approved' });
    await client.transactional.send({ ...send, phone: otherPhone }).catch(refused);
    await client.events.track({ phone: otherPhone, event: 'seen' }).catch(refused);
    const { id } = await client.contacts.upsert({ phone: otherPhone });
    await client.contacts.upsert({ phone: otherPhone, properties: { city: 'Paris' } });
    await client.transactional.send({ ...send, phone: '+15005550101' }).catch(refused);
    await client.contacts.upsert({ phone: '+15005550101' });
    await client.transactional.send({ ...send, phone: '+15005550101' }).catch(refused);
    await client.transactional.send({ phone, templateId: 'welcome' }).catch(refused);
    await client.contacts.delete(id);
    await client.contacts.get(id).catch(refused);
    await client.webhooks.delete('webhook_of_nobody').catch(refused);
    await client.webhooks.list();
    await askWith(server)('POST', '/v1/contacts', 'not JSON');
    return server;
  },

  async journeys() {
    const server = startServer({
      ...seed,
      segments: [{ id: 'buyers', event: 'ordered' }],
      journeys: [
        {
          id: 'greet',
          event: 'seen',
          steps: [
            { wait: '9d' },
            {
              branch: { segment: 'buyers' },
              do: [{ send: 'welcome', variables: { 1: { contact: 'firstName' } } }],
            },
            { send: 'welcome', variables: { 1: { event: 'page' } } },
          ],
        },
      ],
    });
    await server.client.events.track({ phone, event: 'ordered' });
    await server.clock.advance('1h');
    await server.client.events.track({ phone, event: 'seen', properties: { page: 'home' } });
    await server.clock.advance('10d');
    await server.client.events.track({ phone, event: 'seen' });
    await server.clock.advance('10d');
    return server;
  },

  async receivers() {
    const [one, other] = [
      await startReceiver(reply(503), reply(200)),
      await startReceiver(reply(301), reply(404)),
    ];
    const gone = await startReceiver();
    await gone.close();
    const events = ['message.received', 'contact.opted_out'] as const;
    const server = startServer({
      ...seed,
      managedWebhooks: [one, other, gone].map(({ url }) => ({ url, events: [...events] })),
    });
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    await server.clock.runToIdle();
    const [, failed] = await server.deliveries.find({ status: 'failed' });
    await server.deliveries.redeliver(failed?.id ?? '');
    await server.clock.runToIdle();
    await server.simulate.inboundMessage({ phone, body: 'STOP' });
    await server.simulate.inboundMessage({ phone, body: 'STOP' });
    await server.clock.runToIdle();
    return server;
  },

  async faults() {
    const receiver = await startReceiver(reply(200));
    const server = startServer({
      ...seed,
      managedWebhooks: [{ url: receiver.url, events: ['message.received'] }],
      faults: [
        { delivery: 'any', nth: 1, fault: { kind: 'status', status: 503 } },
        { delivery: 'any', nth: 2, fault: { kind: 'reset', when: 'after_receipt' } },
        { delivery: 'any', nth: 4, fault: { kind: 'duplicate' } },
        { delivery: 'any', nth: 5, fault: { kind: 'latency', duration: '2s' } },
        { delivery: 'any', nth: 6, fault: { kind: 'stall' } },
        { delivery: 'any', nth: 8, fault: { kind: 'malformed_json' } },
        { delivery: 'any', nth: 9, fault: { kind: 'drift' } },
      ],
    });
    for (let messages = 0; messages < 6; messages += 1) {
      await server.simulate.inboundMessage({ phone, body: `Hello ${messages}` });
      await server.clock.runToIdle();
    }
    const { client, faults } = server;
    const operation = 'contacts.find';
    for (const fault of [
      { kind: 'stall' },
      { kind: 'drift' },
      { kind: 'status', status: 404 },
      { kind: 'status', status: 503, when: 'after_commit' },
      { kind: 'reset', when: 'after_commit' },
    ] as const) {
      await faults.add({ operation, fault, times: 1 });
      await client.contacts.find(phone, { timeout: 200 }).catch(refused);
    }
    await faults.add({ operation, fault: { kind: 'latency', duration: '1s' }, times: 1 });
    const late = client.contacts.find(phone);
    await server.journal.waitFor(
      'fault',
      ({ fault }) => fault.kind === 'latency' && !('duration' in fault && fault.duration === '2s'),
    );
    await server.clock.advance('1s');
    await late;
    return server;
  },
};
