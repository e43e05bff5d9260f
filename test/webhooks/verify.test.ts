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
    expect(verifyWebhook(messageBody, signature.toUpperCase(), secret)).toBe(true);
  });

  test('may stand alone in a list', () => {
    expect(verifyWebhook(messageBody, [signature], secret)).toBe(true);
  });

  const withoutLast = signature.slice(0, -1);
  const malformed: readonly (readonly [string, unknown])[] = [
    ['undefined', undefined],
    ['null', null],
    ['empty', ''],
    ['blank', ' '.repeat(64)],
    ['an empty list', []],
    ['a list of two, both right', [signature, signature]],
    ['a list of a list', [[signature]]],
    ['two values joined by Node', `${signature}, ${signature}`],
    ['one digit short', withoutLast],
    ['one digit long', `${signature}0`],
    ['twice as long', signature + signature],
    ['with the prefix of another service', `sha256=${signature}`],
    ['with another prefix', `v1,${signature}`],
    ['with white space before', ` ${signature}`],
    ['with white space after', `${signature} `],
    ['with a newline after', `${signature}\n`],
    ['with white space for a digit', `${withoutLast} `],
    ['with a letter beyond f', `${withoutLast}g`],
    ['with junk between digits', `${signature.slice(0, 32)}--${signature.slice(32)}`],
    ['with an accent among 64 characters', `${withoutLast}é`],
    ['with a fullwidth digit', `${withoutLast}\uFF10`],
    // U+0130 and U+212A become ASCII, or two characters, when lowercased.
    ['with letters that change length in lowercase', `${withoutLast}\u0130`],
    ['with a control character that differs from a digit in bit 5 alone', lowerBit5(signature)],
    ['with a NUL', `${withoutLast}\0`],
    ['64 characters outside the BMP', '\u{1F600}'.repeat(32)],
    ['base64', btoa(String.fromCharCode(...fromHex(signature)))],
    ['a number', 7],
    ['an object', { toString: () => signature }],
    ['a String object', new String(signature)],
    ['the bytes', fromHex(signature)],
  ];

  test.each(malformed)('%s: false, and no error', (_, value) => {
    expect(verifyWebhook(messageBody, value as WebhookSignature, secret)).toBe(false);
  });

  test('with any one digit changed: false', () => {
    for (let index = 0; index < signature.length; index += 1) {
      const digit = signature[index] === '0' ? '1' : '0';
      const forged = signature.slice(0, index) + digit + signature.slice(index + 1);
      expect(verifyWebhook(messageBody, forged, secret)).toBe(false);
    }
  });
});

describe('a body', () => {
  const padded = new Uint8Array(bytes.length + 10);
  padded.set(bytes, 5);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);

  test.each([
    ['a string', messageBody],
    ['bytes', bytes],
    ['a Buffer', Buffer.from(messageBody)],
    ['a view into a larger buffer', padded.subarray(5, 5 + bytes.length)],
    ['a DataView', new DataView(padded.buffer, 5, bytes.length)],
    ['an ArrayBuffer', bytes.slice().buffer],
    ['a SharedArrayBuffer', shared],
    ['a view of shared memory', new Uint8Array(shared)],
  ])('may be %s', (_, body) => {
    expect(verifyWebhook(body, signature, secret)).toBe(true);
    expect(signWebhook(body, secret)).toBe(signature);
  });

  test('may be empty', () => {
    expect(verifyWebhook('', signWebhook(new Uint8Array(), secret), secret)).toBe(true);
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
    ['parsed JSON', JSON.parse(messageBody), /parsed object.*express\.raw/],
    ['a parsed array', [1], /parsed object.*express\.raw/],
    ['an object without a prototype', Object.create(null), /parsed object/],
    ['undefined', undefined, /of type undefined.*express\.raw/],
    ['null', null, /is null/],
    ['a number', 1, /of type number/],
    ['a promise', Promise.resolve(messageBody), /a promise/],
    ['a Request', new Request('http://localhost', { method: 'POST', body: 'x' }), /request or a stream, not/],
    ['a Blob', new Blob(['x']), /arrayBuffer/],
    ['a web stream', new Blob(['x']).stream(), /request or a stream/],
    ['a Node request', { pipe() {}, readableEnded: false }, /request or a stream, not/],
    ['a Node request read before', { pipe() {}, readableEnded: true }, /that was already read/],
    ['a string with half a surrogate pair', '{"body":"\uD83D"}', /half a surrogate pair/],
  ])('that is %s is a TypeError which names the fix', (_, body, message) => {
    // Whatever the signature: a wrong set-up shows on every delivery.
    for (const value of [signature, undefined]) {
      const act = () => Reflect.apply(verifyWebhook, undefined, [body, value, secret]);
      expect(act).toThrow(TypeError);
      expect(act).toThrow(message);
    }
  });

  test('that is a Request read before is a TypeError which says so', async () => {
    const request = new Request('http://localhost', { method: 'POST', body: messageBody });
    await request.text();
    const act = () => Reflect.apply(verifyWebhook, undefined, [request, signature, secret]);
    expect(act).toThrow(/that was already read/);
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

  test('of bytes may hold zeros, as random keys do', () => {
    const key = Uint8Array.of(0, 1, 2, 0);
    expect(verifyWebhook(messageBody, signWebhook(messageBody, key), key)).toBe(true);
  });

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a number', 12345],
    ['an object', {}],
    ['empty', ''],
    ['blank', ' \t\n'],
    ['the bare prefix', 'whsec_'],
    ['the bare prefix and a newline', 'whsec_\n'],
    ['NUL', '\0'],
    ['followed by a NUL, which pads to the same key', `${secret}\0`],
    ['holding half a surrogate pair', `${secret}\uD800`],
    ['no bytes', new Uint8Array()],
    ['zeros', new Uint8Array(32)],
    ['the bare prefix in bytes', new TextEncoder().encode('whsec_')],
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

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** A digit 0 to 9 has bit 5 set; without it there is a control character. */
function lowerBit5(hex: string): string {
  return hex.replace(/\d/, (digit) => String.fromCharCode(digit.charCodeAt(0) & ~0x20));
}

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
  function charactersRead(given: string): number {
    using read = vi.spyOn(String.prototype, 'charCodeAt');
    verifyWebhook(bytes, given, secret);
    return read.mock.calls.length;
  }

  test('looks at every digit, wherever the first wrong one is', () => {
    const wrongAt = (index: number) =>
      `${signature.slice(0, index)}${signature[index] === '0' ? '1' : '0'}${signature.slice(index + 1)}`;
    const read = charactersRead(signature);

    expect(read).toBeGreaterThanOrEqual(2 * signature.length);
    for (let index = 0; index < 64; index += 1) expect(charactersRead(wrongAt(index))).toBe(read);
  });

  test.each([
    ['ab', 'abc'],
    ['abc', 'ab'],
    ['', 'a'],
  ])('%j and %j, of different lengths, are different', (computed, received) => {
    expect(isSameDigest(computed, received)).toBe(false);
  });
});
