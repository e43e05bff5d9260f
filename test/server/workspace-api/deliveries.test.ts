import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { answer, startReceiver } from '../support/receiver.js';
import { otherPhone, phone, startServer } from '../support/reference.js';

/** A server whose two contacts wrote once each, with two subscriptions: one acknowledges, one fails at first. */
async function startDelivered() {
  const healthy = await startReceiver();
  const failing = await startReceiver(answer(500), answer(204));
  const server = startServer({ contacts: [{ phone }, { phone: otherPhone }] });
  const subscribe = async (url: string) =>
    (await server.client.webhooks.create({ url, events: ['message.received'] })).id;
  const [first, second] = [await subscribe(healthy.url), await subscribe(failing.url)];
  for (const each of [phone, otherPhone]) {
    await server.simulate.inboundMessage({ phone: each, body: 'Hello, Ada' });
    await server.settled();
  }
  return { server, healthy, first, second };
}

test('deliveries.redeliver sends the same bytes, signed, as a new delivery', async () => {
  const { server, healthy, first } = await startDelivered();
  const delivery = await server.deliveries.waitFor({ subscriptionId: first });
  const again = await server.deliveries.redeliver(delivery.id);
  await server.settled();
  expect(again.id).not.toBe(delivery.id);
  expect(again.redeliveryOf).toBe(delivery.id);
  const [original, , repeated] = healthy.received;
  expect(repeated?.body.equals(original?.body ?? Buffer.alloc(0))).toBe(true);
  expect(repeated?.headers['x-service-signature']).toBe(original?.headers['x-service-signature']);
  await server.client.webhooks.delete(first);
  await expect(server.deliveries.redeliver(delivery.id)).rejects.toThrow('subscription was deleted');
  await expect(server.deliveries.redeliver('unknown')).rejects.toThrow('no such delivery');
});

test('a delivery prints its body as text, and has the sent bytes', async () => {
  const { server, healthy } = await startDelivered();
  const delivery = await server.deliveries.waitFor({ contact: phone });
  const [attempt] = await server.journal.find('attempt');
  const again = await server.deliveries.redeliver(delivery.id);
  await server.settled();
  const [listed] = await server.journal.deliveries();
  for (const each of [delivery, attempt?.delivery, again, listed]) {
    const printed = inspect(each, { depth: null });
    expect(printed).toContain('"body":"Hello, Ada"');
    expect(printed).not.toContain('Uint8Array');
    expect(each?.bodyText).toBe(String(healthy.received[0]?.body));
    expect(Buffer.from(each?.body ?? [])).toEqual(healthy.received[0]?.body);
  }
});
