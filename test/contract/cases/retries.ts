import { expect } from 'vitest';
import { statements } from '../../../src/contract/statements.js';
import { contractCase, type Hands } from '../contract-case.js';
import type { World } from '../world.js';

const phone = '+15551234567';
const second = 1_000;
const day = 24 * 60 * 60 * second;

async function subscribe({ messaging, world }: Hands) {
  await messaging.contacts.upsert({ phone });
  return messaging.webhooks.create({ url: world.receiver.url, events: ['message.received'] });
}

/** How long the world takes to make this many deliveries; the intervals themselves are not shown. */
async function secondsUntil(world: World, deliveries: number): Promise<number> {
  for (let seconds = 0; seconds <= 600; seconds += 1) {
    if (world.receiver.deliveries.length >= deliveries) return seconds;
    await world.advance(second);
  }
  throw new Error(`Delivery ${deliveries} did not come within ten minutes.`);
}

/** §8 Limits, where they speak of deliveries. */
export const retryCases = [
  contractCase(statements.deliveryAcknowledged, async (hands) => {
    const { world } = hands;
    world.receiver.answerWith(204, 299);
    await subscribe(hands);
    await world.inboundMessage({ phone, body: 'One' });
    await world.inboundMessage({ phone, body: 'Two' });
    await world.settled();
    await world.advance(day);
    expect(world.receiver.deliveries).toHaveLength(2);
  }),

  contractCase(statements.deliveryRetries, async (hands) => {
    const { world } = hands;
    world.receiver.answerWith(500, 404, 503, 500);
    await subscribe(hands);
    await world.inboundMessage({ phone, body: 'Hello' });
    await world.settled();
    await world.advance(day);
    expect(world.receiver.deliveries).toHaveLength(3);
  }),

  contractCase(statements.retryThatSucceeds, async (hands) => {
    const { world } = hands;
    world.receiver.answerWith(500, 200, 500);
    await subscribe(hands);
    await world.inboundMessage({ phone, body: 'Hello' });
    await world.settled();
    await world.advance(day);
    expect(world.receiver.deliveries).toHaveLength(2);
  }),

  contractCase(statements.retryBackoff, async (hands) => {
    const { world } = hands;
    world.receiver.answerWith(500, 500, 500);
    await subscribe(hands);
    await world.inboundMessage({ phone, body: 'Hello' });
    await world.settled();
    expect(world.receiver.deliveries).toHaveLength(1);
    const first = await secondsUntil(world, 2);
    const later = await secondsUntil(world, 3);
    expect(first).toBeGreaterThan(0);
    expect(later).toBeGreaterThan(first);
  }),

  contractCase(statements.retrySigned, async (hands) => {
    const { world } = hands;
    world.receiver.answerWith(500, 500);
    await subscribe(hands);
    await world.inboundMessage({ phone, body: 'Grüße, 👋' });
    await world.settled();
    await world.advance(day);
    const [first, ...retries] = world.receiver.deliveries;
    expect(retries).toHaveLength(2);
    for (const { body, headers } of retries) {
      expect(body).toEqual(first?.body);
      expect(headers.get('x-service-signature')).toBe(first?.headers.get('x-service-signature'));
    }
  }),

  contractCase(statements.deliveryTimeout, async (hands) => {
    const { world } = hands;
    world.receiver.answerWith('never answer');
    await subscribe(hands);
    await world.inboundMessage({ phone, body: 'Hello' });
    await world.receiver.arrived(1);
    await world.advance(5 * second);
    await world.advance(day);
    expect(world.receiver.deliveries).toHaveLength(2);
  }),

  contractCase(statements.deliveryUnreachable, async (hands) => {
    const { world } = hands;
    world.receiver.answerWith('drop the connection');
    await subscribe(hands);
    await world.inboundMessage({ phone, body: 'Hello' });
    await world.settled();
    await world.advance(day);
    expect(world.receiver.deliveries).toHaveLength(2);
  }),

  contractCase(statements.deliveryRedirect, async (hands) => {
    const { world } = hands;
    world.receiver.answerWith(302, 307);
    await subscribe(hands);
    await world.inboundMessage({ phone, body: 'Hello' });
    await world.settled();
    await world.advance(day);
    const { pathname } = new URL(world.receiver.url);
    expect(world.receiver.deliveries.map(({ path }) => path)).toEqual([pathname, pathname, pathname]);
  }),

  contractCase(statements.retryOfDeleted, async (hands) => {
    const { world, messaging } = hands;
    world.receiver.answerWith(500);
    const { id } = await subscribe(hands);
    await world.inboundMessage({ phone, body: 'Hello' });
    await world.settled();
    await messaging.webhooks.delete(id);
    await world.advance(day);
    expect(world.receiver.deliveries).toHaveLength(1);
  }),
];
