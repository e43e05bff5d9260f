import { expect } from 'vitest';
import { type Statement, statements } from '../../../src/contract/statements.js';
import { contractCase, phone } from '../contract-case.js';
import type { Environment } from '../environment.js';
import type { PlannedResponse } from '../receiver.js';

const second = 1_000;
const day = 24 * 60 * 60 * second;

/** How long the environment takes to make this many deliveries; the intervals themselves are not shown. */
async function secondsUntil(environment: Environment, deliveries: number): Promise<number> {
  for (let seconds = 0; seconds <= 600; seconds += 1) {
    if (environment.receiver.deliveries.length >= deliveries) return seconds;
    await environment.advance(second);
  }
  throw new Error(`Delivery ${deliveries} did not come within ten minutes.`);
}

/** A case in which the receiver meets the deliveries of these messages like this, and then gets no more than this many. */
const responded = (
  statement: Statement,
  responses: readonly PlannedResponse[],
  deliveries: number,
  messages: readonly string[] = ['Hello'],
) =>
  contractCase(statement, async ({ environment, subscribe, say }) => {
    environment.receiver.respondWith(...responses);
    await subscribe();
    await say(...messages);
    await environment.advance(day);
    const { pathname } = new URL(environment.receiver.url);
    const paths = environment.receiver.deliveries.map(({ path }) => path);
    expect(paths).toEqual(Array.from({ length: deliveries }, () => pathname));
  });

/** §8 Limits, where they speak of deliveries. */
export const retryCases = [
  responded(statements.deliveryAcknowledged, [204, 299], 2, ['One', 'Two']),
  responded(statements.deliveryRetries, [500, 404, 503, 500], 3),
  responded(statements.retryThatSucceeds, [500, 200, 500], 2),

  contractCase(statements.retryBackoff, async ({ environment, subscribe, say }) => {
    environment.receiver.respondWith(500, 500, 500);
    await subscribe();
    await say('Hello');
    expect(environment.receiver.deliveries).toHaveLength(1);
    const first = await secondsUntil(environment, 2);
    const later = await secondsUntil(environment, 3);
    expect(first).toBeGreaterThan(0);
    expect(later).toBeGreaterThan(first);
  }),

  contractCase(statements.retrySigned, async ({ environment, subscribe, say }) => {
    environment.receiver.respondWith(500, 500);
    await subscribe();
    await say('Grüße, 👋');
    await environment.advance(day);
    const [first, ...retries] = environment.receiver.deliveries;
    expect(retries).toHaveLength(2);
    for (const { body, headers } of retries) {
      expect(body).toEqual(first?.body);
      expect(headers.get('x-service-signature')).toBe(first?.headers.get('x-service-signature'));
    }
  }),

  contractCase(statements.deliveryTimeout, async ({ environment, subscribe }) => {
    environment.receiver.respondWith('never respond');
    await subscribe();
    await environment.inboundMessage({ phone, body: 'Hello' });
    await environment.receiver.arrived(1);
    await environment.advance(5 * second);
    await environment.advance(day);
    expect(environment.receiver.deliveries).toHaveLength(2);
  }),

  responded(statements.deliveryUnreachable, ['drop the connection'], 2),
  responded(statements.deliveryRedirect, [302, 307], 3),

  contractCase(statements.retryOfDeleted, async ({ environment, messaging, subscribe, say }) => {
    environment.receiver.respondWith(500);
    const { id } = await subscribe();
    await say('Hello');
    await messaging.webhooks.delete(id);
    await environment.advance(day);
    expect(environment.receiver.deliveries).toHaveLength(1);
  }),
];
