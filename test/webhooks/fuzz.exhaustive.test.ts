import { createHmac, timingSafeEqual } from 'node:crypto';
import { runInNewContext } from 'node:vm';
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

// Every verifier is held to every other, and to a verdict that shares no code with them.

const foreign: { Uint8Array: Uint8ArrayConstructor; ArrayBuffer: ArrayBufferConstructor } = runInNewContext(
  '({ Uint8Array, ArrayBuffer })',
);

/** Every form in which a framework, a runtime or a queue hands over the bytes of a body. */
const bodyForms: Readonly<Record<string, (bytes: Uint8Array) => unknown>> = {
  Uint8Array: (bytes) => bytes,
  // Small ones share one pool.
  Buffer: (bytes) => Buffer.from(bytes),
  ArrayBuffer: (bytes) => bufferOf(bytes),
  'a part of a larger buffer': (bytes) => within(new ArrayBuffer(bytes.length + 16), bytes),
  'a Buffer in a larger buffer': (bytes) => {
    const view = within(new ArrayBuffer(bytes.length + 16), bytes);
    return Buffer.from(view.buffer, view.byteOffset, view.length);
  },
  'a DataView of a part': (bytes) => {
    const { buffer, byteOffset, byteLength } = within(new ArrayBuffer(bytes.length + 16), bytes);
    return new DataView(buffer, byteOffset, byteLength);
  },
  Int8Array: (bytes) => new Int8Array(bufferOf(bytes)),
  Uint8ClampedArray: (bytes) => new Uint8ClampedArray(bytes),
  // Of the bytes that an odd number of them leaves over, there is no such view.
  Uint16Array: (bytes) => (bytes.length % 2 === 0 ? new Uint16Array(bufferOf(bytes)) : bytes),
  SharedArrayBuffer: (bytes) => {
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    return shared;
  },
  'a part of shared memory': (bytes) => within(new SharedArrayBuffer(bytes.length + 16), bytes),
  'a Buffer of shared memory': (bytes) => {
    const view = within(new SharedArrayBuffer(bytes.length + 16), bytes);
    return Buffer.from(view.buffer, view.byteOffset, view.length);
  },
  "another realm's Uint8Array": (bytes) => foreign.Uint8Array.from(bytes),
  "another realm's ArrayBuffer": (bytes) => {
    const buffer = new foreign.ArrayBuffer(bytes.length);
    new Uint8Array(buffer).set(bytes);
    return buffer;
  },
};

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

/** The bytes in the midst of others, which are not to count. */
function within(buffer: ArrayBufferLike, bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(buffer).fill(0x7b);
  whole.set(bytes, 5);
  return whole.subarray(5, 5 + bytes.length);
}

const texts = fc
  .tuple(
    fc.constantFrom('', '', '\uFEFF'),
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.json(),
      fc
        .record({ event: fc.string(), timestamp: fc.date({ noInvalidDate: true }), data: fc.object() })
        .map((delivery) => JSON.stringify(delivery)),
    ),
  )
  .map((parts) => parts.join(''));

interface GivenBody {
  readonly form: string;
  readonly body: unknown;
  /** What was signed, whatever form it is given in. */
  readonly bytes: Uint8Array;
}

const bodies: fc.Arbitrary<GivenBody> = fc.oneof(
  { weight: 1, arbitrary: texts.map((body) => ({ form: 'string', body, bytes: Buffer.from(body) })) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...Object.entries(bodyForms)),
        fc.oneof(
          texts.map((text) => new TextEncoder().encode(text)),
          fc.uint8Array({ maxLength: 200 }),
        ),
      )
      .map(([[form, give], bytes]) => ({ form, body: give(bytes), bytes })),
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
/** What is no key, whatever stands beside it. */
const unusableSecrets = fc.constantFrom<unknown>(
  ...['', ' ', '\n', 'whsec_', ' whsec_\n', '\0', 'whsec_\0', 'whsec_a\0', '\0a', 'whsec_\uD800', '\uDC00'],
  ...[new Uint8Array(), new Uint8Array(3), Buffer.from('whsec_'), undefined, null, 7, {}],
);

type Mutation = (signature: string) => unknown;
const position = fc.nat({ max: 63 });
const mutations: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 7, arbitrary: fc.constant<Mutation>((signature) => signature) },
  fc.constantFrom<Mutation>(
    (signature) => signature.toUpperCase(),
    (signature) => [signature],
    (signature) => [signature, signature],
    (signature) => [[signature]],
    (signature) => `${signature}, ${signature}`,
    (signature) => `SHA256=${signature}`,
    (signature) => `0x${signature}`,
    (signature) => `"${signature}"`,
    (signature) => `${signature}\r`,
    (signature) => `\t${signature}`,
    (signature) => `${signature}\u00A0`,
    (signature) => `${signature.slice(1)}\n`,
    (signature) => `${signature.slice(0, 32)} ${signature.slice(32)}`,
    (signature) => [signature.toUpperCase()],
    (signature) => [`${signature} `],
    (signature) => [signature, ''],
    (signature) => [signature, undefined],
    () => [null],
    (signature) => signature.normalize('NFKD').replaceAll('f', '\uFF46'),
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
  vi.stubGlobal('process', undefined);
  copy.signWebhook('', 'whsec_example');
  vi.unstubAllGlobals();
  return copy;
}

/** Calls an async twin where it finds no WebCrypto, and so hashes in pure JavaScript as well. */
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
  const seen: Record<string, number> = {};

  await fc.assert(
    fc.asyncProperty(
      bodies,
      fc.array(secrets, { minLength: 1, maxLength: 3 }),
      fc.nat(2),
      fc.boolean(),
      mutations,
      fc.boolean(),
      async ({ form, body, bytes }, keys, index, isOther, mutate, isAlone) => {
        const signer = isOther ? 'whsec_other' : (keys[index % keys.length] ?? 'whsec_other');
        const secret = isAlone && keys.length === 1 ? keys[0] : keys;
        // As from a header, of which the types do not vouch.
        const signature = mutate(signWebhook(bytes, signer));

        const expected = independentVerdict(bytes, signature, keys) ? 'accepted' : 'refused';
        const key = `${form}: ${expected}`;
        seen[key] = (seen[key] ?? 0) + 1;
        expect(await verdicts([body, signature, secret])).toEqual(unanimous(expected));
      },
    ),
    { numRuns: 2000 },
  );

  // No verdict is so rare in any form that agreeing on it would say nothing.
  for (const form of ['string', ...Object.keys(bodyForms)]) {
    for (const verdict of ['accepted', 'refused']) {
      expect(seen[`${form}: ${verdict}`], `${form}: ${verdict}`).toBeGreaterThan(3);
    }
  }
});

test('no verifier takes an empty body for a missing one, in any form', async () => {
  const signature = signWebhook('', 'whsec_example');
  const empty = ['', ...Object.values(bodyForms).map((give) => give(new Uint8Array()))];
  for (const body of empty) {
    expect(await verdicts([body, signature, 'whsec_example'])).toEqual(unanimous('accepted'));
    expect(await verdicts([body, '0'.repeat(64), 'whsec_example'])).toEqual(unanimous('refused'));
  }
});

test('every verifier refuses a string that is not UTF-8, and takes pairs of surrogates', async () => {
  const units = fc.oneof(fc.integer({ min: 0xd7fe, max: 0xe001 }), fc.integer({ min: 0, max: 0xffff }));
  const counts = { accepted: 0, TypeError: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(units, { maxLength: 6 }), async (codes) => {
      const body = String.fromCharCode(...codes);
      // What an encoder makes of it, with U+FFFD for each half: that signature must not do for the halves.
      const signature = signWebhook(Buffer.from(body), 'whsec_example');
      const verdict = encodeURIComponentFails(body) ? 'TypeError' : 'accepted';
      counts[verdict] += 1;
      expect(await verdicts([body, signature, 'whsec_example'])).toEqual(unanimous(verdict));
    }),
    { numRuns: 500 },
  );
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(25);
});

/** It is the one old function that throws for half a surrogate pair. */
function encodeURIComponentFails(text: string): boolean {
  try {
    encodeURIComponent(text);
    return false;
  } catch {
    return true;
  }
}

test('no verifier takes what is no key, alone or among keys', async () => {
  await fc.assert(
    fc.asyncProperty(
      unusableSecrets,
      fc.array(secrets, { maxLength: 2 }),
      fc.nat(2),
      fc.boolean(),
      async (unusable, keys, index, isAlone) => {
        const list = [...keys.slice(0, index), unusable, ...keys.slice(index)];
        const signature = signWebhook('{}', keys[0] ?? 'whsec_example');
        const given = ['{}', signature, isAlone ? unusable : list];
        expect(await verdicts(given)).toEqual(unanimous('TypeError'));
      },
    ),
    { numRuns: 500 },
  );
  expect(await verdicts(['{}', '', []])).toEqual(unanimous('TypeError'));
});

test('what one verifier says or throws for anything at all, all of them do', async () => {
  const bad = fc.oneof(
    fc.anything(),
    bodies.map(({ body }) => body),
    unusableSecrets,
    fc.constant([]),
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
