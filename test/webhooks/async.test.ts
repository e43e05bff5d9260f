import {
  signWebhook,
  signWebhookAsync,
  unwrapWebhookAsync,
  verifyWebhookAsync,
  type WebhookSignature,
  WebhookVerificationError,
} from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { messageBody, secret } from './delivery-body.js';

const bytes = new TextEncoder().encode(messageBody);
const signature = signWebhook(messageBody, secret);

test('signWebhookAsync signs as signWebhook does', async () => {
  expect(await signWebhookAsync(messageBody, secret)).toBe(signature);
  expect(await signWebhookAsync(bytes, new TextEncoder().encode(secret))).toBe(signature);
});

describe('verifyWebhookAsync', () => {
  test.each([
    ['a string', messageBody],
    ['bytes', bytes],
    ['an ArrayBuffer', bytes.slice().buffer],
  ])('resolves to the verified bytes of %s', async (_, body) => {
    expect(await verifyWebhookAsync(body, signature.toUpperCase(), secret)).toEqual(bytes);
  });

  test('resolves to a copy, taken when it was called', async () => {
    const pooled = bytes.slice();
    const verifying = verifyWebhookAsync(pooled, signature, secret);
    pooled.fill(0);
    expect(await verifying).toEqual(bytes);
  });

  test('tries every secret', async () => {
    expect(await verifyWebhookAsync(bytes, signature, ['whsec_old', secret])).toEqual(bytes);
    await expect(verifyWebhookAsync(bytes, signature, ['whsec_old', 'whsec_older'])).rejects.toMatchObject({
      reason: 'signature_mismatch',
    });
  });

  test.each<[string, WebhookSignature]>([
    ['missing_signature', undefined],
    ['malformed_signature', `${signature.slice(0, -1)}é`],
    ['ambiguous_signature', [signature, signature]],
    ['signature_mismatch', '0'.repeat(64)],
  ])('rejects with %s, never resolves to false', async (reason, value) => {
    const verifying = verifyWebhookAsync(bytes, value, secret);
    await expect(verifying).rejects.toBeInstanceOf(WebhookVerificationError);
    await expect(verifying).rejects.toMatchObject({ reason });
  });
});

test("a programmer's error rejects with a TypeError", async () => {
  for (const act of [verifyWebhookAsync, unwrapWebhookAsync]) {
    await expect(Reflect.apply(act, undefined, [{}, signature, secret])).rejects.toThrow(TypeError);
    await expect(Reflect.apply(act, undefined, [bytes, signature, ''])).rejects.toThrow(TypeError);
  }
  await expect(Reflect.apply(signWebhookAsync, undefined, [{}, secret])).rejects.toThrow(TypeError);
});
