import { describe, expect, test } from 'vitest';
import { type Behaviour, reply, startReceiver } from '../support/receiver.js';
import { askWith } from '../support/reference.js';
import { deliverTo, hmac, openWorkspace } from '../support/subscribed.js';

test('a delivery is a POST of the very bytes that are signed', async () => {
  const receiver = await startReceiver();
  const { server, subscribe, deliver } = openWorkspace();
  const { secret } = await subscribe(`${receiver.url}?tenant=a%20b`);
  await deliver('Grüße, 👋 \ud800 \u2028 "</script>"');

  expect(receiver.received).toHaveLength(1);
  const [received] = receiver.received;
  expect(received).toMatchObject({ method: 'POST', path: '/hooks?tenant=a%20b' });
  expect(received?.headers).toMatchObject({
    'content-type': 'application/json',
    'x-service-signature': hmac(secret, received?.body ?? new Uint8Array()),
    'content-length': String(received?.body.length),
  });
  expect(received?.headers.authorization).toBeUndefined();
  const [delivery] = await server.journal.deliveries();
  expect(Buffer.from(delivery?.body ?? [])).toEqual(received?.body);
  expect(delivery).toMatchObject({
    id: expect.stringMatching(/^delivery_/),
    event: 'message.received',
    status: 'delivered',
    attempts: [
      { number: 1, status: 200, responseBody: '', signature: received?.headers['x-service-signature'] },
    ],
  });
});

describe('after its subscription is deleted', () => {
  test('a delivery that waits for a retry is cancelled, and the other subscription keeps its retry', async () => {
    const workspace = await deliverTo([reply(500)]);
    const { receiver, server, subscribe, subscription, unsubscribe, deliver, statuses, log } = workspace;
    const other = await startReceiver(reply(500), reply(204));
    await subscribe(other.url);
    await deliver();
    await unsubscribe(subscription);
    await server.clock.advance('1d');
    expect([receiver.received.length, other.received.length]).toEqual([1, 2]);
    expect(await statuses()).toEqual(['cancelled', 'delivered']);
    expect(log.filter(({ type }) => type === 'error')).toEqual([]);
  });

  test.each([
    [200, 'delivered'],
    [500, 'cancelled'],
  ])('a running delivery that ends with %i is %s', async (status, outcome) => {
    let respond = () => {};
    const held: Behaviour = (response) => {
      respond = () => reply(status)(response);
    };
    const workspace = await deliverTo([held]);
    const { receiver, server, subscription, unsubscribe, receive, statuses, log } = workspace;
    await receive();
    await receiver.arrived(1);
    await unsubscribe(subscription);
    respond();
    await server.settled();
    await server.clock.advance('1d');
    expect(receiver.received).toHaveLength(1);
    expect(await statuses()).toEqual([outcome]);
    expect(log.filter(({ type }) => type === 'delivery')).toMatchObject([{ outcome }]);
  });
});

test('a delivery is retried also after its contact is deleted', async () => {
  const { receiver, server, deliver, statuses } = await deliverTo([reply(500), reply(200)]);
  await deliver();
  const [contactId] = receiver.received.map(({ body }) => JSON.parse(body.toString()).data.contactId);
  expect((await askWith(server)('DELETE', `/v1/contacts/${contactId}`)).status).toBe(204);
  await server.clock.advance('10s');
  expect(await statuses()).toEqual(['delivered']);
  expect(receiver.received[1]?.body).toEqual(receiver.received[0]?.body);
});
