import { expect } from 'vitest';
import { statements } from '../../../src/contract/statements.js';
import { contractCase, type Fixtures } from '../contract-case.js';
import type { Environment } from '../environment.js';

const phone = '+15551234567';
const second = 1_000;
const day = 24 * 60 * 60 * second;

async function subscribe({ messaging, environment }: Fixtures) {
  await messaging.contacts.upsert({ phone });
  return messaging.webhooks.create({ url: environment.receiver.url, events: ['message.received'] });
}

/** How long the environment takes to make this many deliveries; the intervals themselves are not shown. */
async function secondsUntil(environment: Environment, deliveries: number): Promise<number> {
  for (let seconds = 0; seconds <= 600; seconds += 1) {
    if (environment.receiver.deliveries.length >= deliveries) return seconds;
    await environment.advance(second);
  }
  throw new Error(`Delivery ${deliveries} did not come within ten minutes.`);
}

/** §8 Limits, where they speak of deliveries. */
export const retryCases = [
  contractCase(statements.deliveryAcknowledged, async (hands) => {
    const { environment } = hands;
    environment.receiver.answerWith(204, 299);
    await subscribe(hands);
    await environment.inboundMessage({ phone, body: 'One' });
    await environment.inboundMessage({ phone, body: 'Two' });
    await environment.settled();
    await environment.advance(day);
    expect(environment.receiver.deliveries).toHaveLength(2);
  }),

  contractCase(statements.deliveryRetries, async (hands) => {
    const { environment } = hands;
    environment.receiver.answerWith(500, 404, 503, 500);
    await subscribe(hands);
    await environment.inboundMessage({ phone, body: 'Hello' });
    await environment.settled();
    await environment.advance(day);
    expect(environment.receiver.deliveries).toHaveLength(3);
  }),

  contractCase(statements.retryThatSucceeds, async (hands) => {
    const { environment } = hands;
    environment.receiver.answerWith(500, 200, 500);
    await subscribe(hands);
    await environment.inboundMessage({ phone, body: 'Hello' });
    await environment.settled();
    await environment.advance(day);
    expect(environment.receiver.deliveries).toHaveLength(2);
  }),

  contractCase(statements.retryBackoff, async (hands) => {
    const { environment } = hands;
    environment.receiver.answerWith(500, 500, 500);
    await subscribe(hands);
    await environment.inboundMessage({ phone, body: 'Hello' });
    await environment.settled();
    expect(environment.receiver.deliveries).toHaveLength(1);
    const first = await secondsUntil(environment, 2);
    const later = await secondsUntil(environment, 3);
    expect(first).toBeGreaterThan(0);
    expect(later).toBeGreaterThan(first);
  }),

  contractCase(statements.retrySigned, async (hands) => {
    const { environment } = hands;
    environment.receiver.answerWith(500, 500);
    await subscribe(hands);
    await environment.inboundMessage({ phone, body: 'Grüße, 👋' });
    await environment.settled();
    await environment.advance(day);
    const [first, ...retries] = environment.receiver.deliveries;
    expect(retries).toHaveLength(2);
    for (const { body, headers } of retries) {
      expect(body).toEqual(first?.body);
      expect(headers.get('x-service-signature')).toBe(first?.headers.get('x-service-signature'));
    }
  }),

  contractCase(statements.deliveryTimeout, async (hands) => {
    const { environment } = hands;
    environment.receiver.answerWith('never answer');
    await subscribe(hands);
    await environment.inboundMessage({ phone, body: 'Hello' });
    await environment.receiver.arrived(1);
    await environment.advance(5 * second);
    await environment.advance(day);
    expect(environment.receiver.deliveries).toHaveLength(2);
  }),

  contractCase(statements.deliveryUnreachable, async (hands) => {
    const { environment } = hands;
    environment.receiver.answerWith('drop the connection');
    await subscribe(hands);
    await environment.inboundMessage({ phone, body: 'Hello' });
    await environment.settled();
    await environment.advance(day);
    expect(environment.receiver.deliveries).toHaveLength(2);
  }),

  contractCase(statements.deliveryRedirect, async (hands) => {
    const { environment } = hands;
    environment.receiver.answerWith(302, 307);
    await subscribe(hands);
    await environment.inboundMessage({ phone, body: 'Hello' });
    await environment.settled();
    await environment.advance(day);
    const { pathname } = new URL(environment.receiver.url);
    expect(environment.receiver.deliveries.map(({ path }) => path)).toEqual([pathname, pathname, pathname]);
  }),

  contractCase(statements.retryOfDeleted, async (hands) => {
    const { environment, messaging } = hands;
    environment.receiver.answerWith(500);
    const { id } = await subscribe(hands);
    await environment.inboundMessage({ phone, body: 'Hello' });
    await environment.settled();
    await messaging.webhooks.delete(id);
    await environment.advance(day);
    expect(environment.receiver.deliveries).toHaveLength(1);
  }),
];
