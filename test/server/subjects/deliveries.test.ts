import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { reply, startReceiver } from '../support/receiver.js';
import { phone, startServer } from '../support/reference.js';

/** A server whose contact wrote once, with a subscription. */
async function startDelivered() {
  const receiver = await startReceiver();
  const server = startServer({ contacts: [{ phone }] });
  const { id } = await server.client.webhooks.create({ url: receiver.url, events: ['message.received'] });
  await server.simulate.inboundMessage({ phone, body: 'Hello, Ada' });
  await server.settled();
  return { server, receiver, subscriptionId: id };
}

test('deliveries.redeliver sends the same bytes, signed, as a new delivery', async () => {
  const { server, receiver, subscriptionId } = await startDelivered();
  const delivery = await server.deliveries.waitFor({ subscriptionId });
  const again = await server.deliveries.redeliver(delivery.id);
  await server.settled();
  expect(again.id).not.toBe(delivery.id);
  expect(again.redeliveryOf).toBe(delivery.id);
  const [original, repeated] = receiver.received;
  expect(repeated?.body.equals(original?.body ?? Buffer.alloc(0))).toBe(true);
  expect(repeated?.headers['x-service-signature']).toBe(original?.headers['x-service-signature']);
  await server.client.webhooks.delete(subscriptionId);
  await expect(server.deliveries.redeliver(delivery.id)).rejects.toThrow('subscription was deleted');
  await expect(server.deliveries.redeliver('unknown')).rejects.toThrow('no such delivery');
});

test('deliveries.redeliver with ifFailed sends once what failed, though two ask at once, and nothing else', async () => {
  const receiver = await startReceiver(reply(500), reply(500), reply(500), reply(204));
  const server = startServer({ contacts: [{ phone }] });
  await server.client.webhooks.create({ url: receiver.url, events: ['message.received'] });
  await server.clock.freeze();
  await server.simulate.inboundMessage({ phone, body: 'Hello' });
  await server.settled();
  const { id } = await server.deliveries.waitFor({ status: 'pending' });
  const ifFailed = () => server.deliveries.redeliver(id, { ifFailed: true });
  await expect(ifFailed()).rejects.toThrow('The delivery has not failed');
  await server.clock.runToIdle();
  const outcomes = await Promise.allSettled([ifFailed(), ifFailed(), ifFailed()]);
  await server.settled();
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  await expect(ifFailed()).rejects.toThrow('already has a redelivery');
  expect(receiver.received).toHaveLength(4);
  await server.deliveries.redeliver(id, { ifFailed: false });
  await server.settled();
  expect(receiver.received).toHaveLength(5);
  // @ts-expect-error: no such option
  await expect(server.deliveries.redeliver(id, { iffailed: true })).rejects.toThrow('do you mean ifFailed?');
});

test('a delivery prints its body as text, and has the sent bytes', async () => {
  const { server, receiver } = await startDelivered();
  const delivery = await server.deliveries.waitFor({ contact: phone });
  const [attempt] = await server.journal.find('attempt');
  const again = await server.deliveries.redeliver(delivery.id);
  await server.settled();
  const [listed] = await server.journal.deliveries();
  for (const each of [delivery, attempt?.delivery, again, listed]) {
    const printed = inspect(each, { depth: null });
    expect(printed).toContain('"body":"Hello, Ada"');
    expect(printed).not.toContain('Uint8Array');
    expect(each?.bodyText).toBe(String(receiver.received[0]?.body));
    expect(Buffer.from(each?.body ?? [])).toEqual(receiver.received[0]?.body);
  }
});
