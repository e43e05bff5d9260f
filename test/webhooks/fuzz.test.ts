import { createHmac, timingSafeEqual } from 'node:crypto';
import fc from 'fast-check';
import {
  signWebhook,
  unwrapWebhook,
  unwrapWebhookAsync,
  verifyWebhook,
  verifyWebhookAsync,
  WebhookVerificationError,
} from 'messaging-automation/webhooks';
import { expect, test, vi } from 'vitest';

// Every verifier is held to every other, and to a verdict that shares no code with them.

const readable = fc.string({ unit: 'binary', maxLength: 200 });
const bodies = fc.oneof(
  readable,
  fc.uint8Array({ maxLength: 200 }),
  fc.json(),
  fc
    .record({ event: fc.string(), timestamp: fc.date({ noInvalidDate: true }), data: fc.object() })
    .map((delivery) => JSON.stringify(delivery)),
);
const secrets = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => `whsec_${text}_`),
  fc.uint8Array({ minLength: 1, maxLength: 100 }).map((bytes) => Uint8Array.of(1, ...bytes)),
);

type Mutation = (signature: string) => unknown;
const position = fc.nat({ max: 63 });
const mutations: fc.Arbitrary<Mutation> = fc.oneof(
  fc.constantFrom<Mutation>(
    (signature) => signature,
    (signature) => signature.toUpperCase(),
    (signature) => [signature],
    (signature) => [signature, signature],
    (signature) => [[signature]],
    (signature) => `${signature}, ${signature}`,
    (signature) => `sha256=${signature}`,
    (signature) => ` ${signature}`,
    (signature) => `${signature}\n`,
    (signature) => Buffer.from(signature, 'hex').toString('base64'),
    (signature) => Buffer.from(signature, 'hex'),
    (signature) => signature.normalize('NFKD').replaceAll('f', '\uFF46'),
    (signature) => new String(signature),
    () => undefined,
    () => null,
    () => '',
    () => [],
  ),
  // Any digit changed, in its case alone or in more.
  fc.tuple(position, fc.constantFrom(...'0123456789abcdefABCDEFgG \0-é\u0130\u212A')).map(
    ([index, digit]): Mutation =>
      (signature) =>
        signature.slice(0, index) + digit + signature.slice(index + 1),
  ),
  fc.array(fc.boolean(), { minLength: 64, maxLength: 64 }).map(
    (upper): Mutation =>
      (signature) =>
        Array.from(signature, (digit, index) => (upper[index] ? digit.toUpperCase() : digit)).join(''),
  ),
  position.map(
    (length): Mutation =>
      (signature) =>
        signature.slice(0, length),
  ),
  fc.tuple(position, fc.string({ unit: 'binary', minLength: 1 })).map(
    ([index, junk]): Mutation =>
      (signature) =>
        signature.slice(0, index) + junk + signature.slice(index),
  ),
  fc.stringMatching(/^[0-9a-fA-F]{64}$/).map(
    (digits): Mutation =>
      () =>
        digits,
  ),
  fc.anything().map(
    (value): Mutation =>
      () =>
        value,
  ),
);

/** The document's rule in another way: one string of 64 hex digits whose bytes are the HMAC. */
function independentVerdict(
  body: string | Uint8Array,
  signature: unknown,
  keys: readonly (string | Uint8Array)[],
) {
  const [value] = Array.isArray(signature) && signature.length === 1 ? signature : [signature];
  if (typeof value !== 'string' || Buffer.from(value, 'hex').toString('hex') !== value.toLowerCase())
    return false;
  const received = Buffer.from(value, 'hex');
  return keys.some((key) => {
    const expected = createHmac('sha256', Buffer.from(key)).update(Buffer.from(body)).digest();
    return received.length === expected.length && timingSafeEqual(received, expected);
  });
}

type Webhooks = typeof import('messaging-automation/webhooks');

/** A copy of the package that found no node:crypto when it first looked, and so hashes in pure JavaScript. */
async function withoutNodeCrypto(): Promise<Webhooks> {
  vi.resetModules();
  const copy: Webhooks = await import('messaging-automation/webhooks');
  vi.stubGlobal('process', undefined);
  copy.signWebhook('', 'whsec_example');
  vi.unstubAllGlobals();
  return copy;
}

const notAuthentic = [
  'missing_signature',
  'malformed_signature',
  'ambiguous_signature',
  'signature_mismatch',
];

/** Whether an act took the signature. Throws what is not documented for a signature or an authentic body. */
async function accepts(act: () => unknown): Promise<boolean> {
  try {
    return (await act()) !== false;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return !notAuthentic.includes(error.reason);
  }
}

test('every verifier agrees with every other, and with node:crypto by itself', async () => {
  const pure = await withoutNodeCrypto();
  const unwrapping = { tolerance: false, validation: 'off' } as const;
  const verdicts = { accepted: 0, refused: 0 };

  await fc.assert(
    fc.asyncProperty(
      bodies,
      fc.array(secrets, { minLength: 1, maxLength: 3 }),
      fc.nat(2),
      fc.boolean(),
      mutations,
      async (body, keys, index, isOther, mutate) => {
        const signer = isOther ? 'whsec_other' : (keys[index % keys.length] ?? 'whsec_other');
        // As from a header, of which the types do not vouch.
        const given = [body, mutate(signWebhook(body, signer)), keys] as const;
        const apply = (verifier: (...args: never[]) => unknown, ...more: readonly unknown[]) =>
          accepts(() => Reflect.apply(verifier, undefined, [...given, ...more]));

        const expected = independentVerdict(...given);
        verdicts[expected ? 'accepted' : 'refused'] += 1;
        expect({
          verify: await apply(verifyWebhook),
          verifyAsync: await apply(verifyWebhookAsync),
          unwrap: await apply(unwrapWebhook, unwrapping),
          unwrapAsync: await apply(unwrapWebhookAsync, unwrapping),
          pureVerify: await apply(pure.verifyWebhook),
          pureUnwrap: await apply(pure.unwrapWebhook, unwrapping),
        }).toEqual({
          verify: expected,
          verifyAsync: expected,
          unwrap: expected,
          unwrapAsync: expected,
          pureVerify: expected,
          pureUnwrap: expected,
        });
      },
    ),
    { numRuns: 1500 },
  );

  // Neither verdict is so rare that agreeing on it would say nothing.
  expect(verdicts.accepted).toBeGreaterThan(100);
  expect(verdicts.refused).toBeGreaterThan(100);
}, 60_000);

test('what one verifier throws for anything at all, its twins throw', async () => {
  const bad = fc.oneof(
    fc.anything(),
    bodies,
    fc.constantFrom('', 'whsec_', '\uD800', 'a\0b', [], new Uint8Array(3)),
  );
  const thrown = async (act: () => unknown) => {
    try {
      await act();
      return 'nothing';
    } catch (error) {
      return error instanceof Error ? error.name : 'no error';
    }
  };

  await fc.assert(
    fc.asyncProperty(bad, bad, bad, async (body, signature, secret) => {
      const given = [body, signature, secret];
      const sync = await thrown(() => Reflect.apply(verifyWebhook, undefined, given));
      expect(sync).toMatch(/^(nothing|TypeError)$/);
      const unwrapped = await thrown(() => Reflect.apply(unwrapWebhook, undefined, given));
      expect(unwrapped).toBe(sync === 'TypeError' ? 'TypeError' : 'WebhookVerificationError');
      expect(await thrown(() => Reflect.apply(verifyWebhookAsync, undefined, given))).toBe(unwrapped);
      expect(await thrown(() => Reflect.apply(unwrapWebhookAsync, undefined, given))).toBe(unwrapped);
    }),
    { numRuns: 1000 },
  );
}, 60_000);
