import type { Duration, SpecGaps } from 'messaging-automation/server';
import { signWebhook, verifyWebhook } from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { bodyOf } from '../delivery-body.js';
import { openServer, phone, receiver } from './gap-server.js';

async function delivering({ messaging, server }: ReturnType<typeof openServer>) {
  const { secret } = await messaging.webhooks.create({
    url: receiver.url,
    events: ['message.received'],
  });
  await server.simulate.inboundMessage({ phone, body: 'Grüße, 👋' });
  await server.settled();
  return secret;
}

describe('how the reference server delivers, where the document shows nothing', () => {
  test.each<[string, Partial<SpecGaps>, readonly Duration[]]>([
    ['10 s, and again after 60 s', {}, ['9.999s', '1ms', '59.999s', '1ms', '1d']],
    ['other times', { retryBackoff: ['1s', '3s'] }, ['999ms', '1ms', '2.999s', '1ms', '1d']],
  ])('a failed delivery is retried after %s', async (_, specGaps, waits) => {
    const opened = openServer(specGaps);
    opened.hooks.respondWith(500, 500, 500);
    await delivering(opened);
    const counts: number[] = [];
    for (const wait of waits) {
      await opened.server.clock.advance(wait);
      counts.push(opened.hooks.deliveries.length);
    }
    expect(counts).toEqual([1, 2, 2, 3, 3]);
  });

  test('a retried body may have the time of its retry, and the signature to it', async () => {
    const opened = openServer({ retriedBody: 're-stamped' });
    opened.hooks.respondWith(500, 500);
    const start = opened.server.clock.now();
    const secret = await delivering(opened);
    await opened.server.clock.advance('1d');
    const { deliveries } = opened.hooks;
    const times = [0, 10_000, 70_000].map((wait) => new Date(start + wait).toISOString());
    expect(deliveries.map((delivery) => bodyOf(delivery).timestamp)).toEqual(times);
    for (const delivery of deliveries) {
      expect(bodyOf(delivery)).toEqual({ ...bodyOf(deliveries[0]), timestamp: bodyOf(delivery).timestamp });
      expect(verifyWebhook(delivery.body, delivery.headers.get('x-service-signature'), secret)).toBe(true);
    }
    const [kept] = await opened.server.journal.deliveries();
    expect(kept?.attempts.map(({ signature }) => signature)).toEqual(
      deliveries.map(({ body }) => signWebhook(body, secret)),
    );
  });

  test('a redirect may be followed, with the same bytes and signature', async () => {
    const opened = openServer({ receiverRedirect: 'follow' });
    opened.hooks.respondWith(302, 303, 307);
    await delivering(opened);
    const { deliveries } = opened.hooks;
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
    expect(await opened.server.journal.deliveries()).toMatchObject([
      { status: 'delivered', attempts: [{ status: 200 }] },
    ]);
  });
});
