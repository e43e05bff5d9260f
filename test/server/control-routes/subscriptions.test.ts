import { describe, expect, test } from 'vitest';
import { reply, startReceiver } from '../support/receiver.js';
import { field, notFound, phone, startServer } from '../support/reference.js';
import { control, dataOf } from './support.js';

const url = 'https://example.com/hooks';
const platformUrl = 'https://platform.example.com/hooks';
const secret = 'whsec_of_the_platform';

function openBoth() {
  return startServer({
    now: 0,
    managedWebhooks: [{ url: platformUrl, events: ['contact.opted_out'], secret }],
  });
}

describe('/control/subscriptions', () => {
  test('lists those of the API and the managed ones, with the ends of their secrets alone', async () => {
    const server = openBoth();
    const own = await server.client.webhooks.create({ url, events: ['message.received'] });
    const { status, body } = await control(server)('GET', '/subscriptions');
    const events = ['contact.opted_out'];
    expect([status, dataOf(body)]).toMatchObject([
      200,
      [
        { enabled: true, createdAt: 0, url: platformUrl, events, managed: true, secretEnding: 'form' },
        { id: own.id, url, managed: false, secretEnding: own.secret.slice(-4) },
      ],
    ]);
    for (const secretOf of [secret, own.secret]) expect(JSON.stringify(body)).not.toContain(secretOf);
    expect(dataOf(body)).toEqual(await server.subscriptions.list());
  });

  test('gives a secret to whoever asks for it by the id', async () => {
    const server = openBoth();
    const own = await server.client.webhooks.create({ url, events: ['message.received'] });
    const ask = control(server);
    const [managed] = await server.subscriptions.list();
    const given = await ask('GET', `/subscriptions/${managed?.id}/secret`);
    expect([given.status, given.body]).toEqual([200, { secret }]);
    expect(await server.subscriptions.secret(own.id)).toBe(own.secret);
    const other = control(server, server.workspace());
    expect(await other('GET', `/subscriptions/${own.id}/secret`)).toMatchObject(notFound);
    await expect(server.subscriptions.secret('none')).rejects.toThrow(
      'No subscription of this workspace has the id "none".',
    );
  });

  test('removes one of either kind, with what waits for it', async () => {
    const receiver = await startReceiver(reply(500));
    const server = openBoth();
    const ask = control(server);
    const managed = await server.managedWebhooks.create({ url: receiver.url, events: ['message.received'] });
    const own = await server.client.webhooks.create({ url, events: ['contact.opted_in'] });
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    await server.settled();
    expect((await ask('DELETE', `/subscriptions/${managed.id}`)).status).toBe(204);
    const { body } = await ask('GET', '/deliveries');
    expect(dataOf(body).map((delivery) => field(delivery, 'status'))).toEqual(['cancelled']);
    expect(await ask('DELETE', `/subscriptions/${managed.id}`)).toMatchObject(notFound);
    expect(await server.subscriptions.remove(own.id)).toBe(true);
    expect(await server.subscriptions.remove(own.id)).toBe(false);
    expect((await server.subscriptions.list()).map((each) => each.url)).toEqual([platformUrl]);
    expect(await server.client.webhooks.list()).toEqual([]);
  });

  test('responds to an unknown id with 404, whatever the API does', async () => {
    const server = startServer({ specGaps: { unknownIdStatus: 410 } });
    expect(await control(server)('GET', '/subscriptions/none/secret')).toMatchObject(notFound);
  });
});
