import { signWebhook, verifyWebhook } from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { phone, receiver, variantServer } from '../defaults/default-server.js';
import { bodyOf } from '../delivery-body.js';

async function delivering(hands: ReturnType<typeof variantServer>) {
  const { secret } = await hands.messaging.webhooks.create({
    url: receiver.url,
    events: ['message.received'],
  });
  await hands.server.simulate.inboundMessage({ phone, body: 'Grüße, 👋' });
  await hands.server.settled();
  return secret;
}

describe('how the reference server delivers, where a switch is set', () => {
  test('retries may wait for other times', async () => {
    const hands = variantServer({ retryBackoff: ['1s', '3s'] });
    hands.hooks.answerWith(500, 500, 500);
    await delivering(hands);
    const counts: number[] = [];
    for (const wait of ['999ms', '1ms', '2.999s', '1ms', '1d'] as const) {
      await hands.server.clock.advance(wait);
      counts.push(hands.hooks.deliveries.length);
    }
    expect(counts).toEqual([1, 2, 2, 3, 3]);
  });

  test('a retried body may have the time of its retry, and the signature to it', async () => {
    const hands = variantServer({ retriedBody: 're-stamped' });
    hands.hooks.answerWith(500, 500);
    const start = hands.server.clock.now();
    const secret = await delivering(hands);
    await hands.server.clock.advance('1d');
    const { deliveries } = hands.hooks;
    const times = [0, 10_000, 70_000].map((wait) => new Date(start + wait).toISOString());
    expect(deliveries.map((delivery) => bodyOf(delivery).timestamp)).toEqual(times);
    for (const delivery of deliveries) {
      expect(bodyOf(delivery)).toEqual({ ...bodyOf(deliveries[0]), timestamp: bodyOf(delivery).timestamp });
      expect(verifyWebhook(delivery.body, delivery.headers.get('x-service-signature'), secret)).toBe(true);
    }
    const [kept] = await hands.server.journal.deliveries();
    expect(kept?.attempts.map(({ signature }) => signature)).toEqual(
      deliveries.map(({ body }) => signWebhook(body, secret)),
    );
  });

  test('a redirect may be followed, with the same bytes and signature', async () => {
    const hands = variantServer({ receiverRedirect: 'follow' });
    hands.hooks.answerWith(302, 303, 307);
    await delivering(hands);
    const { deliveries } = hands.hooks;
    expect(deliveries.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /hooks',
      'POST /elsewhere',
      'POST /elsewhere',
      'POST /elsewhere',
    ]);
    for (const { body, headers } of deliveries) {
      expect(body).toEqual(deliveries[0]?.body);
      expect(headers.get('x-service-signature')).toBe(deliveries[0]?.headers.get('x-service-signature'));
    }
    expect(await hands.server.journal.deliveries()).toMatchObject([
      { status: 'delivered', attempts: [{ status: 200 }] },
    ]);
  });

  test('no more than three redirects are followed in an attempt', async () => {
    const hands = variantServer({ receiverRedirect: 'follow' });
    hands.hooks.answerWith(308, 308, 308, 308);
    await delivering(hands);
    expect(hands.hooks.deliveries).toHaveLength(4);
    expect(await hands.server.journal.deliveries()).toMatchObject([
      { status: 'pending', attempts: [{ status: 308, error: 'the receiver redirected more than 3 times' }] },
    ]);
  });
});
