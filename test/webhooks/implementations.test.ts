import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fromBase64, fromUtf8 } from '../../src/webhooks/crypto/bytes.js';
import { hmacSha256, portableHmac, sha256, webCryptoHmac } from '../../src/webhooks/crypto/digests.js';
import { stubProcess } from '../stub-process.js';
import { clockAt, messageBody, messageDelivery, secret } from './delivery-body.js';

// Each implementation by itself, among which the public entry chooses. All verifiers against each other: fuzz.exhaustive.test.ts.

test('node:crypto, pure JavaScript and WebCrypto agree at the edges of a block, for keys and bodies', async () => {
  for (const length of [1, 55, 56, 63, 64, 65, 127, 128, 129, 1000]) {
    const some = Uint8Array.from({ length }, (_, index) => index + 1);
    const expected = hmacSha256(some, some);
    expect(portableHmac(some, some)).toBe(expected);
    expect(await webCryptoHmac(some, some)).toBe(expected);
  }
});

describe('each runtime that a verifier may find', () => {
  beforeEach(() => {
    vi.resetModules();
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  const runtimes: readonly (readonly [string, () => void])[] = [
    ['Node', () => {}],
    [
      'no process, no Buffer',
      () => {
        stubProcess(undefined);
        vi.stubGlobal('Buffer', undefined);
      },
    ],
    ['a process without builtin modules', () => stubProcess({ env: {} })],
    ['a process that has no such module', () => stubProcess({ getBuiltinModule: () => undefined })],
    ['a node:crypto of before Node 20.12', () => stubProcess({ getBuiltinModule: () => ({ createHmac }) })],
  ];

  test.each(runtimes)('%s: same verdict', async (_, enter) => {
    const { signWebhook: signOnNode } = await import('messaging-automation/webhooks');
    const signatureFromNode = signOnNode(messageBody, secret);
    vi.resetModules();
    const fresh = await import('messaging-automation/webhooks');
    const digests = await import('../../src/webhooks/crypto/digests.js');
    const encoded = new TextEncoder().encode(messageBody);

    enter();
    const hashes = [digests.sha256(messageBody), digests.sha256(encoded)];
    const signature = fresh.signWebhook(messageBody, secret);
    const verdicts = [messageBody, encoded].flatMap((body) => [
      fresh.verifyWebhook(body, signature, secret),
      fresh.verifyWebhook(body, signature.toUpperCase(), ['whsec_other', secret]),
      fresh.verifyWebhook(body, signature, 'whsec_other'),
      fresh.verifyWebhook(body, `${signature.slice(0, -1)}é`, secret),
    ]);
    const event = fresh.unwrapWebhook(encoded, signature, secret, { clock: clockAt() });
    vi.unstubAllGlobals();

    expect(signature).toBe(signatureFromNode);
    expect(hashes).toEqual([sha256(messageBody), sha256(messageBody)]);
    expect(verdicts).toEqual([true, true, false, false, true, true, false, false]);
    expect(event).toEqual(messageDelivery);
  });

  test('node:crypto hashes where there is one, and is looked up once', async () => {
    const digests = await import('../../src/webhooks/crypto/digests.js');
    const hmac = { update: () => hmac, digest: () => 'by node:crypto' };
    const getBuiltinModule = vi.fn(() => ({ createHmac: () => hmac, hash: () => 'by node:crypto' }));
    stubProcess({ getBuiltinModule });
    const hashes = [digests.sha256('a'), digests.hmacSha256('key', 'a')];
    vi.unstubAllGlobals();

    expect(hashes).toEqual(['by node:crypto', 'by node:crypto']);
    expect(getBuiltinModule.mock.calls).toEqual([['node:crypto']]);
  });

  test('WebCrypto hashes for the async functions where there is one, with a key that it does not give away', async () => {
    const { signWebhookAsync } = await import('messaging-automation/webhooks');
    using imported = vi.spyOn(crypto.subtle, 'importKey');
    using signed = vi.spyOn(crypto.subtle, 'sign');
    await signWebhookAsync(messageBody, secret);

    expect(imported.mock.calls[0]?.[3]).toBe(false);
    expect(signed).toHaveBeenCalledOnce();
  });

  test('with and without String.isWellFormed, halves of surrogate pairs are refused and pairs are not', async () => {
    const { verifyWebhook } = await import('messaging-automation/webhooks');
    const native = Reflect.get(String.prototype, 'isWellFormed');
    const units = fc.array(fc.integer({ min: 0xd7fe, max: 0xe001 }), { maxLength: 6 });
    const pair = fc.constant([0xd83d, 0xde00]);
    try {
      for (const own of [native, undefined]) {
        Object.assign(String.prototype, { isWellFormed: own });
        fc.assert(
          fc.property(fc.array(fc.oneof(units, pair)), (codes) => {
            const text = String.fromCharCode(...codes.flat());
            const verify = () => verifyWebhook(text, '', secret);
            if (Buffer.from(text).toString() !== text) expect(verify).toThrow(TypeError);
            else expect(verify()).toBe(false);
          }),
        );
      }
    } finally {
      Object.defineProperty(String.prototype, 'isWellFormed', { value: native, enumerable: false });
    }
  });

  test('without WebCrypto the async functions fall back', async () => {
    const fresh = await import('messaging-automation/webhooks');
    vi.stubGlobal('crypto', undefined);
    const signature = await fresh.signWebhookAsync(messageBody, secret);
    expect(signature).toBe(fresh.signWebhook(messageBody, secret));
    await expect(fresh.verifyWebhookAsync(messageBody, signature, secret)).resolves.toBeInstanceOf(
      Uint8Array,
    );
  });
});

test.each([
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [Buffer.from('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
])('SHA-256 of a published vector', (data, digest) => {
  expect(sha256(data)).toBe(digest);
});

test('base64 is decoded in either alphabet, with or without padding, and anything else is not', () => {
  const bytes = Uint8Array.of(0xfb, 0xff, 0xfe, 0xff);
  for (const text of ['+//+/w==', '-__-_w', '+__-/w==']) expect(fromBase64(text)).toEqual(bytes);
  expect(fromBase64('a=b')).toBeUndefined();
});

test('UTF-8 is decoded with its byte order mark, and anything else is not', () => {
  expect(fromUtf8(Buffer.from('\uFEFFü'))).toBe('\uFEFFü');
  expect(fromUtf8(Uint8Array.of(0xff))).toBeUndefined();
});
