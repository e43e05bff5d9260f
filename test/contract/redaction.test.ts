import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createRedactor } from '../../src/contract/redaction.js';

const key = 'sk_live_4242/canary+KEY==';
const redactorOf = (keys: readonly string[], phones: readonly string[] = []) =>
  createRedactor(
    () => keys,
    () => phones,
  );
const redact = redactorOf([key]);

const digit = fc.constantFrom(...'0123456789');
/** The digits of a phone number in E.164 format: a country code that does not begin with 0, and ten digits at most. */
const phoneDigits = fc
  .tuple(fc.constantFrom(...'123456789'), fc.array(digit, { minLength: 8, maxLength: 14 }))
  .map(([first, others]) => first + others.join(''));
/** What may stand around: words, punctuation and white space of any kind, and no digits. */
const surroundings = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((text) => !/[\d+%]/.test(text));

/** A phone number as people and encoders write it. */
const writtenPhone = fc
  .record({
    digits: phoneDigits,
    plus: fc.constantFrom('+', '%2B', '%2b', '%252B', '\\u002b', '\\u002B', '&#43;', '&#x2B;', '+ ', '+('),
    separators: fc.array(fc.constantFrom('', '', ' ', '-', '.', ' (', ') ', '/', '%20', '+', '\u00a0'), {
      minLength: 15,
      maxLength: 15,
    }),
  })
  .map(({ digits, plus, separators }) => ({
    digits,
    text: plus + [...digits].map((each, i) => (i === 0 ? '' : separators[i]) + each).join(''),
  }));

const decimals = fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String);
const hexadecimals = fc
  .array(fc.constantFrom(...'0123456789abcdef'), { minLength: 1, maxLength: 64 })
  .map((characters) => characters.join(''));
const dates = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z') });

const ids = fc.oneof(
  fc.uuid(),
  fc.uuid().map((uuid) => uuid.toUpperCase()),
  fc.ulid(),
  decimals,
  hexadecimals,
  fc.nat().map((number) => `err_${number}`),
  fc
    .tuple(fc.constantFrom('req', 'contact', 'template-name', 'wamid'), decimals)
    .map((parts) => parts.join('_')),
  fc.tuple(fc.nat(), fc.nat(), fc.nat()).map((parts) => parts.join('-')),
  fc.base64String({ maxLength: 60 }).map((text) => text.replaceAll('+', '-')),
  fc.ipV4(),
  fc.ipV6(),
  fc.tuple(fc.ipV4(), fc.nat(65_535)).map((parts) => parts.join(':')),
  dates.map((date) => date.toISOString()),
  dates.map((date) => date.toISOString().slice(0, 10)),
  dates.map((date) => date.toISOString().replace('Z', '+01:00')),
  dates.map((date) => date.toUTCString()),
  dates.map((date) => String(date)),
  dates.map((date) => String(date.getTime())),
);

describe('what stays whole', () => {
  test('any id, date, time and address', () => {
    fc.assert(
      fc.property(ids, (id) => {
        for (const text of [id, `id ${id}.`, JSON.stringify({ id }), `?request=${id}&a=b`, `req_${id}`])
          expect(redact(text)).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    'order_update_20261122_v1234567',
    'Node 192.168.100.200:8080 took 1500 ms',
    '[22/Nov/2026:10:00:00 +0000] 1763779437000',
    'phone_number_id 106540352242922',
    'attempt 3 of 4, 1763779437000',
    '442071838750',
    'a+b, 1e+21, C++ 2026',
  ])('%s', (text) => {
    expect(redact(text)).toBe(text);
  });

  test.each(['k', 'a', '1', '-', 'test', 'key', 'contacts', 'api-key'])(
    'a word that the key %j is a part of',
    (short) => {
      const text = `task_${short} webhook${short}Url ${short}${short}s x-${short} ${short}-1 9${short}9 ${short}_`;
      expect(redactorOf([short])(text)).toBe(text);
    },
  );
});

describe('what never stays', () => {
  test('a key, wherever it stands and however it is encoded', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
          minLength: 16,
          maxLength: 60,
        }),
        surroundings,
        surroundings,
        fc.constantFrom<(text: string) => string>(String, encodeURIComponent, JSON.stringify, (text) =>
          encodeURIComponent(text).toLowerCase(),
        ),
        (secretKey, before, after, encode) => {
          const redacted = redactorOf([secretKey])(encode(before + secretKey + after));
          expect(redacted.toLowerCase()).not.toContain(
            encode(secretKey).replaceAll(/^"|"$/g, '').toLowerCase(),
          );
          expect(redacted).toContain('***');
        },
      ),
      { numRuns: 200 },
    );
  });

  test.each(['k', '1', 'test', 'api-key', 'p@ss"w\\rd'])(
    'a short key that is a token of its own: %j',
    (short) => {
      const redactShort = redactorOf([short]);
      for (const write of [
        (it: string) => it,
        (it: string) => `Bearer ${it}`,
        (it: string) => JSON.stringify({ authorization: `Bearer ${it}`, note: `one\n${it}` }),
        (it: string) => `https://example.com/?other=x&key=${encodeURIComponent(it)}&c=d`,
        (it: string) => `authorization%3A%20Bearer%20${encodeURIComponent(it)}`,
        (it: string) => `{ authorization: 'Bearer ${it}' }, x-api-key: ${it}, (${it}) [${it}] <${it}>;${it}`,
      ]) {
        const redacted = redactShort(write(short));
        expect(redacted).toBe(write('KEY').replaceAll('KEY', '***'));
      }
    },
  );

  test('a signing secret, wherever it stands', () => {
    const bodies = fc.string({ unit: fc.constantFrom(...'abcXYZ0189+/=_-'), minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(bodies, surroundings, surroundings, (body, before, after) => {
        const redacted = redact(`${before}whsec_${body} ${after}`);
        expect(redacted).toContain('whsec_***');
        expect(redacted).not.toContain(`whsec_${body}`);
      }),
    );
  });

  test('a phone number that says that it is one, wherever it stands and however it is written', () => {
    fc.assert(
      fc.property(writtenPhone, surroundings, surroundings, ({ digits, text }, before, after) => {
        const redacted = redact(`${before}${text}${after}`);
        expect(redacted).toContain('***');
        expect(redacted.replaceAll(/\D/g, '')).not.toContain(digits.slice(0, -4));
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    'phone 442071838750',
    '"phone":"442071838750"',
    String.raw`{\"phone\": \"442071838750\"}`,
    '?contactPhone=442071838750&a=b',
    'phone%3D442071838750',
    'phone number 020 7183 8750',
    'tel:442071838750',
    'https://wa.me/442071838750',
  ])('digits that stand beside a word for it: %s', (text) => {
    expect(redact(text)).toMatch(/\*\*\*50/);
    expect(redact(text).replaceAll(/\D/g, '')).not.toContain('71838750');
  });

  test('the digits of a phone that is known, in whatever way they are written', () => {
    const knowing = redactorOf([], ['+442071838750', '+12']);
    for (const written of [
      '442071838750',
      'c2071838750',
      '0044 20 7183 8750',
      '(020) 7183-8750',
      '2071838750,12',
    ])
      expect(knowing(written).replaceAll(/\D/g, '')).not.toContain('71838750');
    expect(knowing('code 12, id 123456789012')).toBe('code 12, id 123456789012');
  });
});

test('of several keys the longest is masked first, so that nothing of it is left', () => {
  const one = 'workspace-key-of-one';
  const another = `${one}-and-more`;

  expect(redactorOf([one, another])(`${another} ${one}`)).toBe('*** ***');
});

test('a key that is a digit or an empty string cuts no phone number and no word', () => {
  expect(redactorOf(['1', ''])('one +1 555 123 4567, 1')).toBe('one +***67, ***');
});

test('a long text with many near phones takes no long time', () => {
  const text = 'phone '.repeat(20_000) + '+1'.repeat(20_000) + ' '.repeat(20_000) + '1 '.repeat(20_000);

  expect(redact(text).length).toBeGreaterThan(10);
});

test.each([
  ['020 7183 8750', ['7183'], '0***50'],
  ['id sk-2071838750-live-of-one', ['sk-2071838750-live-of-one'], 'id ***'],
  ['+44 207 183 8750 and 2071838750', [], '+***50 and ***50'],
  ['2071838750 2071838750-1, whsec_2071838750', [], '***50 ***50-1, whsec_***'],
])(
  'where a known phone meets something else, what begins first is masked whole: %j',
  (text, keys, masked) => {
    const known = redactorOf(keys, ['+442071838750']);
    expect(known(text)).toBe(masked);
  },
);

test('a phone takes no pattern of its own, which an engine would compile for every call and keep', () => {
  const sources = new Set<string>();
  vi.stubGlobal(
    'RegExp',
    new Proxy(RegExp, {
      construct(target, [source, flags]) {
        sources.add(String(source));
        return new target(source, flags);
      },
    }),
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const compiled = [0, 1, 2].map((call) => {
    const phone = `+1555123456${call}`;
    const mask = redactorOf([key], [phone]);
    expect(mask(`call ${call}, ${phone.slice(2)}`)).toBe(`call ${call}, ***6${call}`);
    return sources.size;
  });
  expect(compiled).toEqual([compiled[0], compiled[0], compiled[0]]);
});
