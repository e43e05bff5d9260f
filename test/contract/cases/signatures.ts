import { createHmac } from 'node:crypto';
import { verifyWebhook } from 'messaging-automation/webhooks';
import { expect } from 'vitest';
import { statements } from '../../../src/contract/statements.js';
import { contractCase, type Fixtures } from '../contract-case.js';

const phone = '+15551234567';

async function oneDelivery({ messaging, environment }: Fixtures) {
  await messaging.contacts.upsert({ phone });
  const { url } = environment.receiver;
  const { secret } = await messaging.webhooks.create({ url, events: ['message.received'] });
  await environment.inboundMessage({ phone, body: 'Grüße, 👋' });
  await environment.settled();
  const [delivery] = environment.receiver.deliveries;
  if (!delivery) throw new Error('No delivery came.');
  return { delivery, secret, signature: delivery.headers.get('x-service-signature') ?? '' };
}

/** §6 Signature verification and the end of §6, §5 where it speaks of deliveries. */
export const signatureCases = [
  contractCase(statements.signatureHeader, async (hands) => {
    const { signature } = await oneDelivery(hands);
    expect(signature).toMatch(/^[0-9a-f]{64}$/i);
  }),

  contractCase(statements.signature, async (hands) => {
    const { delivery, secret, signature } = await oneDelivery(hands);
    const expected = createHmac('sha256', secret).update(delivery.body).digest('hex');
    expect(signature.toLowerCase()).toBe(expected);
  }),

  contractCase(statements.signatureDecides, async (hands) => {
    const { delivery, secret, signature } = await oneDelivery(hands);
    expect(verifyWebhook(delivery.body, signature, secret)).toBe(true);
    expect(verifyWebhook(Uint8Array.of(...delivery.body, 0x20), signature, secret)).toBe(false);
    expect(verifyWebhook(delivery.body, signature, `${secret}x`)).toBe(false);
  }),

  contractCase(statements.signatureOwnSecret, async ({ messaging, environment }) => {
    await messaging.contacts.upsert({ phone });
    const { url } = environment.receiver;
    const first = await messaging.webhooks.create({ url: `${url}/1`, events: ['message.received'] });
    const second = await messaging.webhooks.create({ url: `${url}/2`, events: ['message.received'] });
    await environment.inboundMessage({ phone, body: 'Hello' });
    await environment.settled();
    expect(environment.receiver.deliveries).toHaveLength(2);
    for (const { path, body, headers } of environment.receiver.deliveries) {
      const { secret } = path.endsWith('/1') ? first : second;
      const expected = createHmac('sha256', secret).update(body).digest('hex');
      expect(headers.get('x-service-signature')?.toLowerCase()).toBe(expected);
    }
  }),

  contractCase(statements.signatureInsteadOfKey, async (hands) => {
    const { delivery } = await oneDelivery(hands);
    expect(delivery.headers.get('authorization')).toBeNull();
    expect([...delivery.headers.values()].join('\n')).not.toContain(hands.environment.apiKey);
  }),

  contractCase(statements.trackedNotDelivered, async ({ messaging, environment }) => {
    await messaging.contacts.upsert({ phone });
    const events = ['message.received', 'contact.opted_in', 'contact.opted_out'] as const;
    await messaging.webhooks.create({ url: environment.receiver.url, events });
    await messaging.events.track({ event: 'order_placed', phone });
    await messaging.events.track({ event: 'message.received', phone, properties: { body: 'Hello' } });
    await environment.settled();
    expect(environment.receiver.deliveries).toEqual([]);
  }),
];
