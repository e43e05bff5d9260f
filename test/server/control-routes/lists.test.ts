import { describe, expect, test } from 'vitest';
import { reply, startReceiver } from '../support/receiver.js';
import { field, otherPhone, phone, startServer } from '../support/reference.js';
import { control, dataOf, startWithControl } from './support.js';

const templates = [
  { id: 'hi', body: 'Hi {{1}}' },
  { id: 'bye', body: 'Bye {{1}}' },
];

async function lived() {
  const receiver = await startReceiver(reply(500), reply(204));
  const server = startServer({
    templates,
    contacts: [{ phone }, { phone: otherPhone }],
    journeys: [{ id: 'greet', event: 'seen', steps: [{ send: 'hi', variables: { '1': 'you' } }] }],
    managedWebhooks: [{ url: receiver.url, events: ['message.received'] }],
  });
  const send = (to: string, templateId: string, name: string) =>
    server.client.transactional.send({ phone: to, templateId, variables: { '1': name } });
  await send(phone, 'hi', 'Ada');
  await send(otherPhone, 'hi', 'Grace');
  await send(phone, 'bye', 'Ada');
  await server.client.events.track({ event: 'seen', phone });
  await server.client.events.track({ event: 'left', phone: otherPhone });
  await server.simulate.inboundMessage({ phone, body: 'One' });
  await server.settled();
  await server.simulate.inboundMessage({ phone: otherPhone, body: 'Two' });
  await server.settled();
  const contact = await server.client.contacts.find(phone);
  return { server, ask: control(server), contactId: contact?.id ?? '' };
}

describe('a list', () => {
  test('of sends, events and deliveries is filtered, in the order of the whole list', async () => {
    const { server, ask, contactId } = await lived();
    const read = async (path: string, name: string) =>
      dataOf((await ask('GET', path)).body).map((each) => field(each, name));
    const encoded = encodeURIComponent(phone);
    // Filtered first: a filter must not change the order of the whole list.
    expect(await read('/sends?templateId=bye', 'text')).toEqual(['Bye Ada']);
    expect(await read('/sends', 'text')).toEqual(['Hi Ada', 'Hi Grace', 'Bye Ada', 'Hi you']);
    expect(await read(`/sends?templateId=hi&contact=${encoded}`, 'text')).toEqual(['Hi Ada', 'Hi you']);
    expect(await read(`/sends?contact=${contactId}`, 'text')).toEqual(['Hi Ada', 'Bye Ada', 'Hi you']);
    expect(await read('/sends?text=Hi%20Grace', 'phone')).toEqual([otherPhone]);
    const [run] = await server.journal.journeyRuns();
    expect(await read(`/sends?journeyRunId=${run?.id}`, 'text')).toEqual(['Hi you']);

    expect(await read('/events?event=left', 'event')).toEqual(['left']);
    expect(await read(`/events?contact=${encoded}`, 'event')).toEqual(['seen']);
    expect(await read(`/events?contact=${contactId}`, 'event')).toEqual(['seen']);
    expect(await read('/events?contact=%2B15550000000', 'event')).toEqual([]);

    const [subscription] = await server.managedWebhooks.list();
    expect(await read('/deliveries?status=pending', 'status')).toEqual(['pending']);
    expect(await read('/deliveries?event=message.received', 'status')).toEqual(['pending', 'delivered']);
    expect(await read(`/deliveries?contact=${encoded}`, 'status')).toEqual(['pending']);
    expect(await read(`/deliveries?subscriptionId=${subscription?.id}`, 'status')).toHaveLength(2);
  });

  test('that is cut says so, and continues after its cursor', async () => {
    const { ask } = await lived();
    for (const path of ['/sends', '/events', '/deliveries', '/journal', '/journey-runs']) {
      const whole = await ask('GET', path);
      expect(field(whole.body, 'more')).toBe(false);
      const parts: unknown[] = [];
      let query = '?limit=1';
      for (let more = true; more; ) {
        const { body } = await ask('GET', path + query);
        parts.push(...dataOf(body));
        more = field(body, 'more') === true;
        query = `?limit=1&cursor=${field(body, 'cursor')}`;
      }
      expect(parts).toEqual(dataOf(whole.body));
      expect((await ask('GET', path + query)).body).toMatchObject({ data: [], more: false });
    }
  });

  test('of more than 10,000 sends says how many it dropped', async () => {
    const { server, ask } = startWithControl({ contacts: [{ phone }], quota: 20_000 });
    const snapshot = await server.snapshot();
    await server.restore({
      ...snapshot,
      sends: Array.from({ length: 10_003 }, (_, i) => ({
        id: `send_${i}`,
        status: 'sent' as const,
        contactId: snapshot.contacts[0]?.id ?? '',
        phone,
        templateId: 'hi',
        variables: {},
        text: 'Hi',
        paidBy: 'plan' as const,
        sentAt: i,
      })),
    });
    const { body } = await ask('GET', '/sends?limit=10000');
    expect(dataOf(body)[0]).toMatchObject({ id: 'send_3' });
    expect(body).toMatchObject({ more: false, forgotten: 3 });
    const first = await ask('GET', '/sends');
    expect([dataOf(first.body).length, field(first.body, 'more')]).toEqual([1_000, true]);
    for (const path of ['/deliveries', '/journey-runs'])
      expect((await ask('GET', path)).body).toMatchObject({ forgotten: 0 });
  });
});
