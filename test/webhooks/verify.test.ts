import {
  signWebhook,
  signWebhookAsync,
  unwrapWebhookAsync,
  verifyWebhook,
  verifyWebhookAsync,
  type WebhookSignature,
} from 'messaging-automation/webhooks';
import { describe, expect, test, vi } from 'vitest';
import { isSameDigest } from '../../src/webhooks/verification/signature.js';
import { messageBody, secret } from './delivery-body.js';
import { bodyForms, unusableSecrets, wrongSignatures } from './inputs.js';

const bytes = new TextEncoder().encode(messageBody);
const signature = signWebhook(messageBody, secret);

describe('published vectors', () => {
  test.each([
    [
      "GitHub's documented example",
      'Hello, World!',
      "It's a Secret to Everybody",
      '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    ],
    [
      'RFC 4231, case 2',
      'what do ya want for nothing?',
      'Jefe',
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    [
      'RFC 4231, case 6: a key longer than a block',
      'Test Using Larger Than Block-Size Key - Hash Key First',
      new Uint8Array(131).fill(0xaa),
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    ],
  ])('%s', (_, body, key, expected) => {
    expect(signWebhook(body, key)).toBe(expected);
    expect(verifyWebhook(body, expected, key)).toBe(true);
  });

  test('RFC 4231, case 5: a tag truncated to 128 bits is refused', () => {
    const key = new Uint8Array(20).fill(0x0c);
    const tag = 'a3b6167473100ee06e0c796c2955552b';
    expect(signWebhook('Test With Truncation', key).startsWith(tag)).toBe(true);
    expect(verifyWebhook('Test With Truncation', tag, key)).toBe(false);
  });
});

describe('a signature', () => {
  test('is lowercase hex when made, and taken in either case', () => {
    expect(signature).toMatch(/^[0-9a-f]{64}$/);
    expect(verifyWebhook(messageBody, signature, secret)).toBe(true);
    expect(verifyWebhook(messageBody, [signature.toUpperCase()], secret)).toBe(true);
  });

  test.each(wrongSignatures(signature))('%s: false, and no error', (_, value) => {
    expect(verifyWebhook(messageBody, value as WebhookSignature, secret)).toBe(false);
  });
});

const readRequest = new Request('http://localhost', { method: 'POST', body: messageBody });
await readRequest.text();

describe('a body', () => {
  const forms = Object.entries(bodyForms).map(([form, give]) => [form, give(bytes)] as const);
  test.each([['a string', messageBody] as const, ...forms])('may be %s', (_, body) => {
    expect(verifyWebhook(body, signature, secret)).toBe(true);
    expect(signWebhook(body, secret)).toBe(signature);
  });

  test('is hashed as it is: its byte order mark counts', () => {
    const marked = `\uFEFF${messageBody}`;
    expect(verifyWebhook(marked, signature, secret)).toBe(false);
    expect(verifyWebhook(Buffer.from(marked), signWebhook(marked, secret), secret)).toBe(true);
  });

  test('is hashed as it is: bytes that are not UTF-8 stay apart', () => {
    const made = signWebhook(Uint8Array.of(0xff), secret);
    expect(verifyWebhook(Uint8Array.of(0xff), made, secret)).toBe(true);
    expect(verifyWebhook(Uint8Array.of(0xfe), made, secret)).toBe(false);
    expect(verifyWebhook('\uFFFD', made, secret)).toBe(false);
  });

  test.each<[string, unknown, RegExp]>([
    ['a parsed array', [1], /parsed object.*express\.raw/],
    ['undefined', undefined, /of type undefined.*express\.raw/],
    ['null', null, /body is null\. /],
    ['a number', 7, /of type number/],
    ['a promise', Promise.resolve(messageBody), /a promise/],
    ['a Request', new Request('http://localhost', { method: 'POST', body: 'x' }), /request or a stream, not/],
    ['a ReadableStream', new Blob(['x']).stream(), /request or a stream, not its bytes/],
    ['a Node request', { pipe() {}, readableEnded: false }, /request or a stream, not/],
    ['a Node request read before', { pipe() {}, readableEnded: true }, /that was already read/],
    ['a Request read before', readRequest, /that was already read/],
    ['a string with half a surrogate pair', '{"body":"\uD83D"}', /half a surrogate pair/],
  ])('that is %s is a TypeError which names the fix', (_, body, message) => {
    // Whatever the signature: a wrong set-up shows on every delivery.
    for (const value of [signature, undefined]) {
      const act = () => Reflect.apply(verifyWebhook, undefined, [body, value, secret]);
      expect(act).toThrow(TypeError);
      expect(act).toThrow(message);
    }
  });

  test('that is parsed JSON is a TypeError which names the switch of each framework', () => {
    expect(() => Reflect.apply(verifyWebhook, undefined, [{}, signature, secret])).toThrow(
      new TypeError(
        'The webhook body is a parsed object, not the bytes that were signed. ' +
          'Give the bytes as received, before any JSON parser. ' +
          "Express: express.raw({ type: 'application/json' }) ahead of express.json(). " +
          "Fastify: addContentTypeParser with parseAs: 'buffer'. " +
          'NestJS: rawBody: true. Next.js pages: bodyParser: false. Fetch: await request.arrayBuffer().',
      ),
    );
  });
});

describe('a secret', () => {
  const keyBytes = new TextEncoder().encode(secret);

  test('is the UTF-8 of the whole string, or the bytes themselves', () => {
    expect(signWebhook(messageBody, keyBytes)).toBe(signature);
    expect(signWebhook(messageBody, new DataView(keyBytes.buffer) as unknown as Uint8Array)).toBe(signature);
    expect(verifyWebhook(messageBody, signature, secret.slice('whsec_'.length))).toBe(false);
    expect(verifyWebhook(messageBody, signature, `${secret}\n`)).toBe(false);
    expect(signWebhook(messageBody, 'clé')).toBe(signWebhook(messageBody, new TextEncoder().encode('clé')));
  });

  test('may be one of several, wherever it stands', () => {
    const others = ['whsec_old', new TextEncoder().encode('whsec_older')];
    expect(verifyWebhook(messageBody, signature, [secret, ...others])).toBe(true);
    expect(verifyWebhook(messageBody, signature, [...others, secret])).toBe(true);
    expect(verifyWebhook(messageBody, signature, others)).toBe(false);
  });

  test.each<[unknown, string]>([
    [[], 'is an empty list'],
    ['', 'is empty, or holds a NUL or half a surrogate pair'],
    [7, 'is of type number'],
    [new Uint8Array(), 'is empty'],
  ])('that is %j is refused in words that say what to do', (unusable, fault) => {
    expect(() => Reflect.apply(verifyWebhook, undefined, ['', signature, unusable])).toThrow(
      new TypeError(
        `The webhook secret ${fault}. Give the subscription's whole secret, "whsec_" included; is its environment variable set?`,
      ),
    );
  });

  test('of bytes may hold zeros, as random keys do', () => {
    const key = Uint8Array.of(0, 1, 2, 0);
    expect(verifyWebhook(messageBody, signWebhook(messageBody, key), key)).toBe(true);
  });

  test.each<readonly [string, unknown]>([
    ...unusableSecrets,
    ['an empty list', []],
    ['a list with an empty one', [secret, '']],
    ['a list with undefined', [undefined, secret]],
  ])('that is %s is a TypeError without the secret in it', (_, value) => {
    for (const received of [signature, undefined]) {
      const act = () => Reflect.apply(verifyWebhook, undefined, [messageBody, received, value]);
      expect(act).toThrow(TypeError);
      expect(act).toThrow(/secret/);
      expect(act).not.toThrow(secret);
    }
    if (!Array.isArray(value) || value.length === 0) {
      expect(() => Reflect.apply(signWebhook, undefined, [messageBody, value])).toThrow(TypeError);
    }
  });
});

describe('verifyWebhookAsync', () => {
  test('resolves to a copy of the verified bytes, taken when it was called', async () => {
    const pooled = bytes.slice();
    const verifying = verifyWebhookAsync(pooled, signature.toUpperCase(), ['whsec_old', secret]);
    pooled.fill(0);
    expect(await verifying).toEqual(bytes);
    expect(await verifyWebhookAsync(messageBody, signature, secret)).toEqual(bytes);
    expect(await signWebhookAsync(bytes, new TextEncoder().encode(secret))).toBe(signature);
  });

  test.each<[string, WebhookSignature]>([
    ['missing_signature', undefined],
    ['malformed_signature', `${signature.slice(0, -1)}é`],
    ['ambiguous_signature', [signature, signature]],
    ['signature_mismatch', '0'.repeat(64)],
  ])('rejects with %s, never resolves to false', async (reason, value) => {
    await expect(verifyWebhookAsync(bytes, value, secret)).rejects.toMatchObject({
      name: 'WebhookVerificationError',
      reason,
    });
  });

  test.each([
    [verifyWebhookAsync, [{}, signature, secret]],
    [verifyWebhookAsync, [bytes, signature, '']],
    [unwrapWebhookAsync, [{}, signature, secret]],
    [unwrapWebhookAsync, [bytes, signature, '']],
    [signWebhookAsync, [{}, secret]],
  ])("%o rejects with a TypeError for a programmer's error", async (act, given) => {
    await expect(Reflect.apply(act, undefined, given)).rejects.toThrow(TypeError);
  });
});

describe('comparing', () => {
  /** How many characters are looked at while a signature is verified. */
  function charactersRead(given: string, isRight: boolean): number {
    using read = vi.spyOn(String.prototype, 'charCodeAt');
    expect(verifyWebhook(bytes, given, secret)).toBe(isRight);
    return read.mock.calls.length;
  }

  test('looks at every digit, wherever the first wrong one is', () => {
    const wrongAt = (index: number) =>
      `${signature.slice(0, index)}${signature[index] === '0' ? '1' : '0'}${signature.slice(index + 1)}`;
    const read = charactersRead(signature, true);

    expect(read).toBeGreaterThanOrEqual(2 * signature.length);
    for (let index = 0; index < 64; index += 1) expect(charactersRead(wrongAt(index), false)).toBe(read);
  });

  test.each([
    ['ab', 'abc'],
    ['abc', 'ab'],
  ])('%j and %j, of different lengths, are different', (computed, received) => {
    expect(isSameDigest(computed, received)).toBe(false);
  });
});
