import {
  ConfigurationError,
  signWebhook,
  type UnwrapWebhookOptions,
  unwrapWebhook,
  unwrapWebhookAsync,
  type WebhookDrift,
  WebhookVerificationError,
  type WebhookVerificationReason,
} from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { readRawBody } from '../../src/webhooks/verification/raw-body.js';
import { clockAt, messageBody, messageData, messageDelivery, secret } from './delivery-body.js';
import { refusal, unwrapBoth } from './unwrap-both.js';

const minute = 60_000;
const hour = 60 * minute;

const encode = (value: unknown) => JSON.stringify(value);

describe('an authentic delivery', () => {
  test('is given as its event', async () => {
    expect(await unwrapBoth(messageBody)).toEqual(messageDelivery);
    expect(await unwrapBoth(Buffer.from(messageBody))).toEqual(messageDelivery);
  });

  test.each(['contact.opted_in', 'contact.opted_out'])('%s may carry any data', async (event) => {
    const delivery = { ...messageDelivery, event, data: { anything: [1, null] } };
    expect(await unwrapBoth(encode(delivery))).toEqual(delivery);
  });

  test('keeps fields that are not known here, and message types that are new', async () => {
    const delivery = { ...messageDelivery, attempt: 2, data: { ...messageData, type: 'poll', lang: 'en' } };
    expect(await unwrapBoth(encode(delivery))).toEqual(delivery);
  });

  test.each(['contact.tagged', '', 'constructor', 'toString', '__proto__'])(
    'of the unknown type "%s" is given, too',
    async (event) => {
      const delivery = { ...messageDelivery, event, data: { tag: 'vip' } };
      expect(await unwrapBoth(encode(delivery))).toEqual(delivery);
    },
  );

  test('may begin with a byte order mark', async () => {
    expect(await unwrapBoth(`\uFEFF${messageBody}`)).toEqual(messageDelivery);
    expect(await unwrapBoth(Buffer.from(`\uFEFF${messageBody}`))).toEqual(messageDelivery);
  });

  test('is what was verified, even if its buffer is used again meanwhile', async () => {
    const pooled = Buffer.from(messageBody);
    const unwrapping = unwrapWebhookAsync(pooled, signWebhook(pooled, secret), secret, { clock: clockAt() });
    pooled.fill('x');
    expect(await unwrapping).toEqual(messageDelivery);
  });
});

test('the bytes of a body are copied where another thread may change them, and only there', () => {
  const shared = new Uint8Array(new SharedArrayBuffer(4));
  const own = new Uint8Array([1, 2, 3]);
  const read = readRawBody(shared);
  shared.fill(7);

  expect(read).toEqual(new Uint8Array(4));
  expect(Reflect.get(Object(readRawBody(own)), 'buffer')).toBe(own.buffer);
});

describe('own __proto__ keys', () => {
  test.each([
    ['spelled out', '"__proto__"'],
    ['spelled with an escape', '"\\u005f_proto__"'],
  ])('%s are left out at every depth', async (_, key) => {
    const evil = `${key}:{"polluted":true}`;
    const body =
      `{${evil},${encode({ ...messageDelivery, event: 'contact.opted_in', data: 0 }).slice(1)}`.replace(
        '"data":0',
        `"data":{${evil},"list":[{${evil},"kept":"__proto__"}]}`,
      );
    const event = (await unwrapBoth(body)) as { data: { list: object[] } };
    expect(event).toEqual({
      ...messageDelivery,
      event: 'contact.opted_in',
      data: { list: [{ kept: '__proto__' }] },
    });
    for (const object of [event, event.data, event.data.list[0]]) {
      expect(Object.hasOwn(object ?? {}, '__proto__')).toBe(false);
      expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
      expect(Reflect.get({ ...object }, 'polluted')).toBeUndefined();
    }
  });

  test('in the text of a message stay', async () => {
    const delivery = { ...messageDelivery, data: { ...messageData, body: '{"__proto__":1} \u0007' } };
    expect(await unwrapBoth(encode(delivery))).toEqual(delivery);
  });
});

describe('a signature that is not right', () => {
  const right = signWebhook(messageBody, secret);
  const words: Partial<Record<WebhookVerificationReason, string>> = {
    missing_signature:
      'The delivery has no X-Service-Signature header. Pass the header on: without it, the body cannot be verified.',
    ambiguous_signature:
      'The delivery has several signatures. Pass exactly one; a proxy that repeats headers, or an attacker, sends more.',
    malformed_signature:
      'The delivery has a signature that is not exactly 64 hex digits. Pass the header as it was received.',
    signature_mismatch:
      'The delivery has a signature made over other bytes or with another secret. Hash the bytes as they were ' +
      'received, not JSON serialized again, with the whole secret of this subscription, "whsec_" included.',
  };
  test.each<[WebhookVerificationReason, string | null | undefined | readonly string[]]>([
    ['missing_signature', null],
    ['missing_signature', ''],
    ['missing_signature', []],
    ['malformed_signature', `sha256=${right}`],
    ['malformed_signature', [' ']],
    ['ambiguous_signature', [right, right]],
    ['ambiguous_signature', `${right}, ${right}`],
    ['signature_mismatch', right.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))],
  ])('is refused as %s: %j', async (reason, signature) => {
    const error = await refusal(messageBody, {}, signature);
    expect(error).toMatchObject({ reason, message: words[reason] });
    expect(error.skew).toBeUndefined();
  });

  test('is refused before the body is looked at', async () => {
    expect((await refusal('not JSON', {}, right)).reason).toBe('signature_mismatch');
    expect((await refusal(Uint8Array.of(0xff), {}, right)).reason).toBe('signature_mismatch');
  });
});

describe('a body that is not as documented', () => {
  const [before = '', after = ''] = messageBody.split('Grüße');
  test.each([
    ['a byte that never occurs', [0x22, 0xff, 0x22]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a byte in a text', [...Buffer.from(before), 0xff, ...Buffer.from(after)]],
  ])('is refused as invalid_encoding for %s', async (_, body) => {
    expect(await refusal(Uint8Array.from(body))).toMatchObject({
      reason: 'invalid_encoding',
      message:
        'The delivery is authentic, but its body is not UTF-8, so it is not JSON either. Report it to the service.',
    });
  });

  test.each(['', 'hello', '{"event":', `${messageBody}x`, `\uFEFF\uFEFF${messageBody}`])(
    'is refused as invalid_json: %j',
    async (body) => {
      expect(await refusal(body)).toMatchObject({
        reason: 'invalid_json',
        message:
          'The delivery is authentic, but its body is not JSON. Check that the secret signs nothing but deliveries.',
      });
    },
  );

  test.each<[string, unknown, RegExp]>([
    ['null', null, /the body must be an object/],
    ['no event', { ...messageDelivery, event: undefined }, /event/],
    ['an event that is no string', { ...messageDelivery, event: 7 }, /event must be a string/],
    [
      'a timestamp in another form',
      { ...messageDelivery, timestamp: 'yesterday' },
      /timestamp must be an ISO/,
    ],
    ['no data', { ...messageDelivery, data: undefined }, /data is required and must be an object\./],
  ])('is refused as unexpected_shape for %s, whatever the validation', async (_, body, message) => {
    const drifts: WebhookDrift[] = [];
    for (const validation of ['warn', 'strict', 'off'] as const) {
      const error = await refusal(encode(body), { validation, onDrift: (drift) => drifts.push(drift) });
      expect(error.reason).toBe('unexpected_shape');
      expect(error.message).toMatch(message);
      expect(error.message).toMatch(
        /^The delivery is authentic, but does not have the documented shape: .*\. Check that the secret signs deliveries only\.$/s,
      );
    }
    expect(drifts).toEqual([]);
  });
});

describe('the replay window', () => {
  const accepted: readonly (readonly [string, UnwrapWebhookOptions])[] = [
    ['24 hours back', { clock: clockAt(24 * hour) }],
    ['five minutes ahead', { clock: clockAt(-5 * minute) }],
    ['a wider past', { clock: clockAt(48 * hour), tolerance: { past: 48 * hour } }],
    ['no window', { clock: clockAt(10_000 * hour), tolerance: false }],
    ['an endless past', { clock: clockAt(10_000 * hour), tolerance: { past: Number.POSITIVE_INFINITY } }],
  ];
  test.each(accepted)('admits %s', async (_, options) => {
    expect(await unwrapBoth(messageBody, options)).toEqual(messageDelivery);
  });

  const ofTests = 'In a test with a reference server, pass its clock: server.clock.';
  const old = `old where % ms are allowed: it may be a replay. If a queue held it back, raise tolerance.past; if not, check this clock. ${ofTests}`;
  const ahead = `ahead of this clock where % ms are allowed. Check this clock, or raise tolerance.future. ${ofTests}`;
  test.each<[string, number, UnwrapWebhookOptions['tolerance'], number]>([
    ['24 hours and a millisecond back', 24 * hour + 1, undefined, 24 * hour],
    ['five minutes and a millisecond ahead', -5 * minute - 1, undefined, 5 * minute],
    ['beyond a narrow past', 1001, { past: 1000 }, 1000],
    ['ahead, of a wide past', -5 * minute - 1, { past: 48 * hour }, 5 * minute],
  ])('refuses %s, with the skew measured', async (_, skew, tolerance, allowed) => {
    const error = await refusal(messageBody, { clock: clockAt(skew), tolerance });
    const [reason, words] = skew > 0 ? ['too_old', old] : ['too_new', ahead];
    expect(error).toMatchObject({ reason, skew });
    expect(error.message).toBe(
      `The delivery is authentic, but ${Math.abs(skew)} ms ${words.replace('%', `${allowed}`)}`,
    );
  });

  describe('reads the signed timestamp as ISO 8601', () => {
    const signedAt = (timestamp: string) => encode({ ...messageDelivery, timestamp });
    const exactly = { past: 0, future: 0 };

    test.each([
      ['2026-01-02T03:04:05.678+00:00', '2026-01-02T03:04:05.678Z'],
      ['2026-01-02T05:34:05.678+02:30', '2026-01-02T03:04:05.678Z'],
      ['2026-01-01T21:34:05.678-0530', '2026-01-02T03:04:05.678Z'],
      ['2026-01-02T12:04:05.678+09', '2026-01-02T03:04:05.678Z'],
      ['2026-01-02T03:04:05,678Z', '2026-01-02T03:04:05.678Z'],
      ['2026-01-02T03:04:05.678901Z', '2026-01-02T03:04:05.678Z'],
      ['2026-01-02T03:04:05.6Z', '2026-01-02T03:04:05.600Z'],
      ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
      ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
      ['2017-01-01T05:29:60.250+05:30', '2017-01-01T00:00:00.250Z'],
    ])('%s is %s', async (timestamp, moment) => {
      const clock = { now: () => Date.parse(moment) };
      expect(await unwrapBoth(signedAt(timestamp), { clock, tolerance: exactly })).toMatchObject({
        timestamp,
      });
      const error = await refusal(signedAt(timestamp), {
        clock: { now: () => Date.parse(moment) + 1 },
        tolerance: exactly,
      });
      expect(error).toMatchObject({ reason: 'too_old', skew: 1 });
    });

    test.each([
      '2026-01-02T03:04:05.678',
      '2026-01-02T03:04:61Z',
      '2026-01-02T03:04:05.678+24:00',
      '2026-01-02T03:04:05.678+5:30',
      '2026-01-02T03:04:05.678Z+00:00',
      '2026-01-02T03:04:05.678UTC',
    ])('%s names no moment', async (timestamp) => {
      expect((await refusal(signedAt(timestamp), { tolerance: false })).reason).toBe('unexpected_shape');
    });
  });

  test('goes by the clock of the machine by default', () => {
    const signed = (offset: number) => {
      const body = encode({ ...messageDelivery, timestamp: new Date(Date.now() + offset).toISOString() });
      return unwrapWebhook(body, signWebhook(body, secret), secret);
    };
    expect(signed(0).event).toBe('message.received');
    expect(() => signed(-25 * hour)).toThrow(WebhookVerificationError);
  });

  test('refuses everything when the clock gives no number', async () => {
    expect((await refusal(messageBody, { clock: { now: () => Number.NaN } })).reason).toBe('too_old');
  });
});

test.each<[object, string]>([
  [{ validation: 'Strict' }, "validation must be 'warn' or 'strict' or 'off', not a string."],
  [{ onDrift: 'log' }, 'onDrift must be a function, not a string.'],
  [{ clock: {} }, 'clock must be an object with the method now.'],
  [{ tolerance: 300 }, 'tolerance must be an object { past, future } of milliseconds, or false, not 300.'],
  [
    { tolerance: { past: '300' } },
    'tolerance.past must be a number of milliseconds, 0 or more, not a string.',
  ],
  [{ tolerance: { future: -1 } }, 'tolerance.future must be a number of milliseconds, 0 or more, not -1.'],
])('a wrong option is refused with what it may be, whatever the delivery: %j', async (options, words) => {
  for (const unwrap of [unwrapWebhook, unwrapWebhookAsync]) {
    const given = ['', undefined, secret, options];
    const unwrapping = async () => Reflect.apply(unwrap, undefined, given);
    await expect(unwrapping()).rejects.toThrow(new ConfigurationError(`${unwrap.name}: ${words}`));
  }
});
