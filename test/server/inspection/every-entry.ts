import type { ReferenceServer } from 'messaging-automation/server';
import { reply, startReceiver } from '../support/receiver.js';
import { askWith, otherPhone, phone, startServer } from '../support/reference.js';

const thirdPhone = '+15550001111';

/** A server whose journal has every type of entry, and requests of each outcome. */
export async function startWithEveryEntry(): Promise<ReferenceServer> {
  const receiver = await startReceiver(reply(500), reply(503), reply(200));
  const server = startServer({
    now: '2026-03-02T09:00:00Z',
    contacts: [{ phone, properties: { firstName: "Zoë d'Arc" } }, { phone: thirdPhone }],
    specGaps: { sendToOptedOut: 'refuse' },
    templates: [
      { id: 'welcome', body: 'Welcome,\n{{1}}!' },
      { id: 'late', body: 'Late', status: 'rejected' },
    ],
    journeys: [
      {
        id: 'greet',
        event: 'seen',
        steps: [{ wait: '1h' }, { send: 'welcome', variables: { '1': { contact: 'firstName' } } }],
      },
    ],
    managedWebhooks: [{ url: receiver.url, events: ['message.received', 'contact.opted_out'] }],
  });
  const { client } = server;
  const refused = () => undefined;
  const toThird = { phone: thirdPhone, templateId: 'welcome', variables: { '1': 'Ada' } };
  await client.transactional.send(toThird);
  await server.simulate.inboundMessage({ phone: thirdPhone, body: 'STOP' });
  await client.transactional.send(toThird).catch(refused);
  const { id } = await client.contacts.upsert({
    phone: otherPhone,
    properties: { tags: ['a', 'b'], 'a-b': 1 },
  });
  await client.contacts.get(id);
  await client.contacts.update(id, { properties: { city: 'Paris' } });
  await client.contacts.find('+15550000000');
  await client.contacts.get('nobody').catch(refused);
  await askWith(server)('POST', '/v1/events', { event: 1 });
  await client.transactional.send({ phone, templateId: 'welcome', variables: { '1': 'Ada' } });
  await client.transactional.send({ phone, templateId: 'late' }).catch(refused);
  await client.events.track({
    contactId: id,
    event: 'left',
    properties: { lines: [{ sku: 'tea', count: 2 }] },
  });
  await client.events.track({ phone, event: 'seen' });
  await server.clock.runToIdle();
  await server.simulate.inboundMessage({ phone, body: 'It\'s "quoted", `ticked` and $spent\n\u2028' });
  await server.clock.runToIdle();
  await server.faults.add({
    operation: 'templates.list',
    fault: { kind: 'reset', when: 'before_commit' },
    times: 1,
  });
  await client.templates.list().catch(refused);
  await server.faults.add({ operation: 'templates.list', fault: { kind: 'malformed_json' }, times: 1 });
  await client.templates.list().catch(refused);
  await server.faults.add({ operation: 'any', fault: { kind: 'rate_limit' }, times: 1 });
  await client.templates.list().catch(refused);
  await server.faults.add({ delivery: 'contact.opted_out', fault: { kind: 'tamper' }, times: 1 });
  await server.simulate.inboundMessage({ phone: otherPhone, body: 'STOP' });
  await server.clock.runToIdle();
  const webhook = await client.webhooks.create({
    url: 'https://example.com/hooks',
    events: ['contact.opted_in'],
  });
  await client.webhooks.delete(webhook.id);
  await client.contacts.delete(id);
  // The generated tests must not need it.
  await receiver.close();
  return server;
}
