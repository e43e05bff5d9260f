import { createHmac } from 'node:crypto';
import { verifyWebhook } from 'messaging-automation/webhooks';
import { expect } from 'vitest';
import { statements } from '../../../src/contract/statements.js';
import { contractCase, type Fixtures, phone } from '../contract-case.js';

async function oneDelivery({ environment, subscribe, say }: Fixtures) {
  const { secret } = await subscribe();
  await say('Grüße, 👋');
  const [delivery = expect.fail('No delivery came.')] = environment.receiver.deliveries;
  return { delivery, secret, signature: delivery.headers.get('x-service-signature') ?? '' };
}

/** §6 Signature verification and the end of §6, §5 where it speaks of deliveries. */
export const signatureCases = [
  contractCase(statements.signatureHeader, async (fixtures) => {
    const { signature } = await oneDelivery(fixtures);
    expect(signature).toMatch(/^[0-9a-f]{64}$/i);
  }),

  contractCase(statements.signature, async (fixtures) => {
    const { delivery, secret, signature } = await oneDelivery(fixtures);
    const expected = createHmac('sha256', secret).update(delivery.body).digest('hex');
    expect(signature.toLowerCase()).toBe(expected);
  }),

  contractCase(statements.signatureDecides, async (fixtures) => {
    const { delivery, secret, signature } = await oneDelivery(fixtures);
    expect(verifyWebhook(delivery.body, signature, secret)).toBe(true);
    expect(verifyWebhook(Uint8Array.of(...delivery.body, 0x20), signature, secret)).toBe(false);
    expect(verifyWebhook(delivery.body, signature, `${secret}x`)).toBe(false);
  }),

  contractCase(statements.signatureOwnSecret, async ({ environment, subscribe, say }) => {
    const first = await subscribe(['message.received'], '/1');
    const second = await subscribe(['message.received'], '/2');
    await say('Hello');
    expect(environment.receiver.deliveries).toHaveLength(2);
    for (const { path, body, headers } of environment.receiver.deliveries) {
      const { secret } = path.endsWith('/1') ? first : second;
      const expected = createHmac('sha256', secret).update(body).digest('hex');
      expect(headers.get('x-service-signature')?.toLowerCase()).toBe(expected);
    }
  }),

  contractCase(statements.signatureInsteadOfKey, async (fixtures) => {
    const { delivery } = await oneDelivery(fixtures);
    expect(delivery.headers.get('authorization')).toBeNull();
    expect([...delivery.headers.values()].join('\n')).not.toContain(fixtures.environment.apiKey);
  }),

  contractCase(statements.trackedNotDelivered, async ({ messaging, environment, subscribe }) => {
    await subscribe(['message.received', 'contact.opted_in', 'contact.opted_out']);
    await messaging.events.track({ event: 'order_placed', phone });
    await messaging.events.track({ event: 'message.received', phone, properties: { body: 'Hello' } });
    await environment.settled();
    expect(environment.receiver.deliveries).toEqual([]);
  }),
];
