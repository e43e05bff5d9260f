import { signWebhook, verifyWebhook } from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/webhooks/crypto/sha256.js';
import { readRawBody } from '../../src/webhooks/verification/raw-body.js';
import { replayWindowLength } from '../../src/webhooks/verification/replay-window.js';
import { clockAt, messageBody, secret } from './delivery-body.js';
import { outcome, refusal } from './unwrap-both.js';

/** The words of whatever is thrown. */
function words(act: () => unknown): string {
  const thrown = outcome(act);
  return thrown instanceof Error ? thrown.message : 'nothing was thrown';
}

// What an error says is what a person acts on: each is written out once, here.

describe('the words of a refusal', () => {
  const signature = signWebhook(messageBody, secret);

  test.each([
    [
      undefined,
      'The delivery has no X-Service-Signature header. Pass the header on: without it, the body cannot be verified.',
    ],
    [
      [signature, signature],
      'The delivery has several signatures. Pass exactly one; a proxy that repeats headers, or an attacker, sends more.',
    ],
    [
      'ab',
      'The delivery has a signature that is not exactly 64 hex digits. Pass the header as it was received.',
    ],
    [
      '0'.repeat(64),
      'The delivery has a signature made over other bytes or with another secret. Hash the bytes as they were ' +
        'received, not JSON serialized again, with the whole secret of this subscription, "whsec_" included.',
    ],
  ])('of the signature %j', async (given, message) => {
    // An argument that is undefined would be replaced by the right signature.
    expect((await refusal(messageBody, {}, given ?? null)).message).toBe(message);
  });

  test('of a body that is no delivery', async () => {
    expect((await refusal('{}')).message).toMatch(
      /^The delivery is authentic, but does not have the documented shape: .*\. Check that the secret signs deliveries only\.$/s,
    );
    expect((await refusal('{')).message).toBe(
      'The delivery is authentic, but its body is not JSON. Check that the secret signs nothing but deliveries.',
    );
  });

  test('of bytes that are not UTF-8, in a body that is JSON otherwise', async () => {
    const [before = '', after = ''] = messageBody.split('Grüße');
    const bytes = Buffer.concat([Buffer.from(before), Buffer.of(0xff), Buffer.from(after)]);

    expect(await refusal(bytes)).toMatchObject({
      reason: 'invalid_encoding',
      message:
        'The delivery is authentic, but its body is not UTF-8, so it is not JSON either. Report it to the service.',
    });
  });

  test('of the time', async () => {
    const tooOld = refusal(messageBody, { clock: clockAt(11), tolerance: { past: 10 } });
    const tooNew = refusal(messageBody, { clock: clockAt(-21), tolerance: { future: 20 } });

    expect((await tooOld).message).toBe(
      'The delivery is authentic, but 11 ms old where 10 ms are allowed: it may be a replay. ' +
        'If a queue held it back, raise tolerance.past; if not, check this clock.',
    );
    expect((await tooNew).message).toBe(
      'The delivery is authentic, but 21 ms ahead of this clock where 20 ms are allowed. ' +
        'Check this clock, or raise tolerance.future.',
    );
  });

  test('of what is no secret', () => {
    const remedy = `. Give the subscription's whole secret, "whsec_" included; is its environment variable set?`;
    const verifying = (key: unknown) =>
      words(() => Reflect.apply(verifyWebhook, undefined, ['', signature, key]));

    expect(verifying([])).toBe(`The webhook secret is an empty list${remedy}`);
    expect(verifying('')).toBe(
      `The webhook secret is empty, or holds a NUL or half a surrogate pair${remedy}`,
    );
    expect(verifying(7)).toBe(`The webhook secret is of type number${remedy}`);
    expect(verifying(new Uint8Array())).toBe(`The webhook secret is empty${remedy}`);
  });

  test('of what is no body name the switch of each framework', () => {
    expect(words(() => Reflect.apply(verifyWebhook, undefined, [{}, signature, secret]))).toBe(
      'The webhook body is a parsed object, not the bytes that were signed. ' +
        'Give the bytes as received, before any JSON parser. ' +
        "Express: express.raw({ type: 'application/json' }) ahead of express.json(). " +
        "Fastify: addContentTypeParser with parseAs: 'buffer'. " +
        'NestJS: rawBody: true. Next.js pages: bodyParser: false. Fetch: await request.arrayBuffer().',
    );
  });
});

describe('how long a delivery can be let in', () => {
  const day = 86_400_000;

  test.each([
    [undefined, day + 300_000],
    [{ past: 7, future: 5 }, 12],
    [{ past: 0 }, 300_000],
    [{ future: 0 }, day],
    [false as const, Number.POSITIVE_INFINITY],
  ])('%j', (tolerance, length) => {
    expect(replayWindowLength(tolerance)).toBe(length);
  });

  test.each(['past', 'future'])('refuses a tolerance.%s that is none', (name) => {
    for (const limit of ['5', Number.NaN, -1])
      expect(words(() => Reflect.apply(replayWindowLength, undefined, [{ [name]: limit }]))).toBe(
        `tolerance.${name} must be a number of milliseconds, zero or more.`,
      );
  });
});

test('bytes that another thread may change are copied, and others are not', () => {
  const shared = new Uint8Array(new SharedArrayBuffer(4));
  const own = new Uint8Array([1, 2, 3]);
  const read = readRawBody(shared);
  shared.fill(7);

  expect(read).toEqual(new Uint8Array(4));
  const unchanged = readRawBody(own);
  expect(typeof unchanged === 'string' ? undefined : unchanged.buffer).toBe(own.buffer);
});

test.each([
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [new Uint8Array([0x61, 0x62, 0x63]), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
])('SHA-256 of a published vector', (data, digest) => {
  expect(sha256(data)).toBe(digest);
});
