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
import { beforeAll, expect, test, vi } from 'vitest';
import { stubProcess } from '../stub-process.js';
import { bodyForms, unusableSecrets, wrongSignatures } from './inputs.js';

// Every verifier is held to every other, and to a verdict that shares no code with them.

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.json(),
  fc.json().map((json) => `\uFEFF${json}`),
);

const bodies = fc.oneof(
  { weight: 1, arbitrary: texts.map((body) => ({ body, bytes: Buffer.from(body) })) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...Object.values(bodyForms)),
        fc.oneof(
          texts.map((text) => Buffer.from(text)),
          fc.uint8Array({ maxLength: 200 }),
        ),
      )
      .map(([give, bytes]) => ({ body: give(bytes), bytes })),
  },
);

const white = fc.constantFrom('', '', ' ', '\n', '\r\n', '\t', '\u00A0', '\uFEFF');
const secrets = fc.oneof(
  // White space is a part of the key like anything else.
  fc
    .tuple(white, fc.constantFrom('whsec_', ''), fc.string({ unit: 'grapheme', minLength: 1 }), white)
    .map(([before, prefix, text, after]) => `${before}${prefix}_${text.replaceAll('\0', '')}${after}`),
  // Longer than a block of the hash, too.
  fc.string({ unit: 'grapheme-ascii', minLength: 60, maxLength: 140 }).map((text) => `whsec_${text}_`),
  // Bytes that are a key may hold zeros, at either end and in between.
  fc.uint8Array({ minLength: 1, maxLength: 140 }).map((bytes) => Uint8Array.of(0, ...bytes, 1, 0)),
);
/** A signature as it may come: right, right in another way, or wrong in one of many ways. */
const receivedAs = (signature: string): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(signature, signature.toUpperCase(), [signature]) },
    fc.constantFrom(...wrongSignatures(signature).map(([, value]) => value)),
    // Any digit changed, in its case alone or in more, or with more beside it.
    fc
      .tuple(fc.nat({ max: 63 }), fc.string({ unit: 'binary', maxLength: 2 }))
      .map(([index, junk]) => signature.slice(0, index) + junk + signature.slice(index + 1)),
    fc
      .tuple(fc.nat({ max: 63 }), fc.constantFrom(...'0123456789abcdefABCDEFgG \0-é\u0130\u212A'))
      .map(([index, digit]) => signature.slice(0, index) + digit + signature.slice(index + 1)),
    fc.anything(),
  );

/** The document's rule in another way: one string of 64 hex digits whose bytes are the HMAC. */
function independentVerdict(
  bytes: Uint8Array,
  signature: unknown,
  keys: readonly (string | Uint8Array)[],
): boolean {
  const [value] = Array.isArray(signature) && signature.length === 1 ? signature : [signature];
  if (typeof value !== 'string' || Buffer.from(value, 'hex').toString('hex') !== value.toLowerCase())
    return false;
  const received = Buffer.from(value, 'hex');
  return keys.some((key) => {
    const expected = createHmac('sha256', Buffer.from(key)).update(bytes).digest();
    return received.length === expected.length && timingSafeEqual(received, expected);
  });
}

type Webhooks = typeof import('messaging-automation/webhooks');

/** A copy of the package that found no node:crypto when it first looked, and so hashes in pure JavaScript. */
async function withoutNodeCrypto(): Promise<Webhooks> {
  vi.resetModules();
  const copy: Webhooks = await import('messaging-automation/webhooks');
  stubProcess(undefined);
  copy.signWebhook('', 'whsec_example');
  vi.unstubAllGlobals();
  return copy;
}

/** Calls an async verifier where it finds no WebCrypto, and so hashes in pure JavaScript as well. */
function withoutWebCrypto(act: () => unknown): unknown {
  vi.stubGlobal('crypto', undefined);
  try {
    return act(); // looks for WebCrypto before it waits for anything
  } finally {
    vi.unstubAllGlobals();
  }
}

type Verifier = (given: readonly unknown[]) => unknown;
const unwrapping = { tolerance: false, validation: 'off' } as const;
const verifiers: Record<string, Verifier> = {};

beforeAll(async () => {
  const pure = await withoutNodeCrypto();
  const call =
    (act: (...args: never[]) => unknown, ...more: readonly unknown[]): Verifier =>
    (given) =>
      Reflect.apply(act, undefined, [...given, ...more]);
  Object.assign(verifiers, {
    'verify, by node:crypto': call(verifyWebhook),
    'verify, by pure JavaScript': call(pure.verifyWebhook),
    'verify, async, by WebCrypto': call(verifyWebhookAsync),
    'verify, async, by pure JavaScript': (given: readonly unknown[]) =>
      withoutWebCrypto(() => call(verifyWebhookAsync)(given)),
    'unwrap, by node:crypto': call(unwrapWebhook, unwrapping),
    'unwrap, by pure JavaScript': call(pure.unwrapWebhook, unwrapping),
    'unwrap, async, by WebCrypto': call(unwrapWebhookAsync, unwrapping),
    'unwrap, async, by pure JavaScript': (given: readonly unknown[]) =>
      withoutWebCrypto(() => call(unwrapWebhookAsync, unwrapping)(given)),
  });
});

const notAuthentic = [
  'missing_signature',
  'malformed_signature',
  'ambiguous_signature',
  'signature_mismatch',
];

/** What a verifier says. Throws what is not documented for it. */
async function verdictOf(
  verifier: Verifier,
  given: readonly unknown[],
): Promise<'accepted' | 'refused' | 'TypeError'> {
  try {
    return (await verifier(given)) === false ? 'refused' : 'accepted';
  } catch (error) {
    if (error instanceof Error && error.name === 'TypeError') return 'TypeError';
    if (!(error instanceof WebhookVerificationError)) throw error;
    return notAuthentic.includes(error.reason) ? 'refused' : 'accepted';
  }
}

async function verdicts(given: readonly unknown[]): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const [name, verifier] of Object.entries(verifiers)) all[name] = await verdictOf(verifier, given);
  return all;
}

function unanimous(verdict: string): Record<string, string> {
  return Object.fromEntries(Object.keys(verifiers).map((name) => [name, verdict]));
}

test('every verifier agrees with every other, and with node:crypto by itself', async () => {
  const seen = { accepted: 0, refused: 0 };

  await fc.assert(
    fc.asyncProperty(
      bodies,
      fc.array(secrets, { minLength: 1, maxLength: 3 }),
      fc.nat(2),
      fc.boolean(),
      fc.gen(),
      fc.boolean(),
      async ({ body, bytes }, keys, index, isOther, draw, isAlone) => {
        const signer = isOther ? 'whsec_other' : (keys[index % keys.length] ?? 'whsec_other');
        const secret = isAlone && keys.length === 1 ? keys[0] : keys;
        // As from a header, of which the types do not vouch.
        const signature = draw(receivedAs, signWebhook(bytes, signer));

        const expected = independentVerdict(bytes, signature, keys) ? 'accepted' : 'refused';
        seen[expected] += 1;
        expect(await verdicts([body, signature, secret])).toEqual(unanimous(expected));
      },
    ),
    { numRuns: 2000 },
  );

  // No verdict is so rare that agreeing on it would say nothing.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(200);
});

test('what one verifier says or throws for anything at all, all of them do', async () => {
  const text = fc.array(fc.integer({ min: 0xd7fe, max: 0xe001 }), { maxLength: 6 });
  const unusable = fc.constantFrom(...unusableSecrets.map(([, secret]) => secret));
  const bad = fc.oneof(
    fc.anything(),
    bodies.map(({ body }) => body),
    text.map((codes) => String.fromCharCode(...codes)), // many of them with half a surrogate pair
    unusable,
    fc.array(fc.oneof(secrets, unusable), { maxLength: 3 }),
  );
  await fc.assert(
    fc.asyncProperty(bad, bad, bad, async (body, signature, secret) => {
      const given = [body, signature, secret];
      const verdict = await verdictOf((args) => Reflect.apply(verifyWebhook, undefined, [...args]), given);
      expect(await verdicts(given)).toEqual(unanimous(verdict));
    }),
    { numRuns: 1000 },
  );
});
