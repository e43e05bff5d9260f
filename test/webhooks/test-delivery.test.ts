import { inspect } from 'node:util';
import {
  signatureHeader,
  signTestDelivery,
  type TestDelivery,
  type UnwrapWebhookOptions,
  unwrapWebhook,
  verifyWebhook,
} from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { clockAt, happenedAt, secret } from './delivery-body.js';
import { outcome } from './unwrap-both.js';

const delivery = signTestDelivery({ secret, clock: clockAt(), url: 'https://example.com/hooks?a=b' });

/** The event, or the reason why it is refused. */
function unwrap(
  { bytes, signature }: Pick<TestDelivery, 'bytes' | 'signature'>,
  options: UnwrapWebhookOptions = {},
) {
  const result = outcome(() =>
    unwrapWebhook(bytes, signature, secret, { clock: clockAt(), validation: 'strict', ...options }),
  );
  return result instanceof Error ? Reflect.get(result, 'reason') : result;
}

describe('what is delivered', () => {
  test('is by default a message, as documented, of now', () => {
    expect(unwrap(delivery)).toMatchObject({
      event: 'message.received',
      workspaceId: 'workspace_1',
      timestamp: '2026-01-02T03:04:05.678Z',
      data: { type: 'text', body: 'Hello', receivedAt: '2026-01-02T03:04:05.678Z' },
    });
    expect(unwrap(signTestDelivery({ secret }), { clock: { now: Date.now } })).toHaveProperty('data');
  });

  test.each([
    ['contact.opted_in', 'START'],
    ['contact.opted_out', 'STOP'],
  ])('may be %s', (event, keyword) => {
    expect(unwrap(signTestDelivery({ secret, event, timestamp: new Date(happenedAt) }))).toMatchObject({
      event,
      data: { keyword, occurredAt: '2026-01-02T03:04:05.678Z' },
    });
  });

  test('may be of any type, with any data, from any workspace, at any time', () => {
    const given = { event: 'order.shipped', data: { order: 7 }, workspaceId: 'workspace_2' };
    expect(unwrap(signTestDelivery({ secret, timestamp: happenedAt, ...given }))).toMatchObject(given);
  });

  test('takes single fields of data, also wrong ones and none', () => {
    const data = { body: 'STOP', phone: undefined, type: 7 };
    const odd = signTestDelivery({ secret, timestamp: happenedAt, data });
    expect(unwrap(odd)).toBe('unexpected_shape');
    const event = unwrap(odd, { validation: 'off' });
    expect(event).toMatchObject({ data: { body: 'STOP', type: 7, contactId: 'contact_1' } });
    expect(event).not.toHaveProperty('data.phone');
  });

  test('does not show the secret', () => {
    expect(inspect(delivery, { depth: null, showHidden: true }) + JSON.stringify(delivery)).not.toContain(
      secret,
    );
  });

  test('needs a secret', () => {
    expect(() => signTestDelivery({ secret: '' })).toThrow(TypeError);
  });
});

describe('the variant', () => {
  // Their refusals: adapters/test-deliveries.test.ts.
  const forging = ['tampered', 'unsigned', 'wrongSecret'] as const;
  const honest = ['late', 'early', 'duplicate', 'unknownType'] as const;
  const pairs = forging.flatMap((one) =>
    [...forging, ...honest].flatMap((other) => [[one, other] as const, [other, one] as const]),
  );
  test.each(pairs)('%s, and then %s, is both, and does not verify', (first, second) => {
    const variant = delivery[first]()[second]();
    expect(verifyWebhook(variant.body, variant.signature, secret)).toBe(false);
    const is = (name: string) => first === name || second === name;
    const { workspaceId, timestamp, event } = JSON.parse(variant.body);
    expect(workspaceId.includes('_tampered')).toBe(is('tampered'));
    expect(variant.signature === undefined).toBe(is('unsigned'));
    expect(timestamp < '2026-01-02').toBe(is('late'));
    expect(timestamp > '2026-01-02T03:05').toBe(is('early'));
    expect(event === 'contact.of_the_future').toBe(is('unknownType'));
  });

  test('unsigned has no header, and the others have', () => {
    expect(Object.keys(delivery.unsigned().headers)).toEqual(['Content-Type']);
    expect(Object.keys(delivery.tampered().headers)).toEqual(['Content-Type', signatureHeader]);
  });

  test('late and early by a little pass', () => {
    expect(unwrap(delivery.late(60_000))).toMatchObject({ timestamp: '2026-01-02T03:03:05.678Z' });
    expect(unwrap(delivery.early(60_000))).toMatchObject({ timestamp: '2026-01-02T03:05:05.678Z' });
  });

  test('duplicate has the same bytes and the same signature, whatever it is a duplicate of', () => {
    for (const one of [delivery, delivery.unsigned(), delivery.tampered()]) {
      expect(one.duplicate().bytes).toEqual(one.bytes);
      expect(one.duplicate().headers).toEqual(one.headers);
    }
  });

  test('unknownType is authentic', () => {
    expect(unwrap(delivery.unknownType())).toMatchObject({ event: 'contact.of_the_future' });
    expect(unwrap(delivery.unknownType('contact.tagged'))).toMatchObject({ event: 'contact.tagged' });
  });
});

describe('the shape of', () => {
  test('a Fetch request can be made many times, and to any address', async () => {
    expect(delivery.toRequest().url).toBe(delivery.url);
    const request = delivery.toRequest('http://127.0.0.1:3000/hooks');
    expect(request.url).toBe('http://127.0.0.1:3000/hooks');
    expect(new Uint8Array(await request.arrayBuffer())).toEqual(delivery.bytes);
  });
});
