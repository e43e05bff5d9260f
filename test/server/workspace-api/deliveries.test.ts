import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { startReceiver } from '../support/receiver.js';
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
