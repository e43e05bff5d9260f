// `./webhooks`: published vectors, every kind of bad input, and the same verdict from sync and async.
import { equal, ok, rejects, throws } from './assertions.mjs';

const utf8 = new TextEncoder();
const secret = 'whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH';
const timestamp = '2026-01-01T00:00:00.000Z';
const clock = { now: () => Date.parse(timestamp) };
const delivery = {
  event: 'message.received',
  workspaceId: 'w1',
  timestamp,
  data: {
    conversationId: 'v1',
    messageId: 'm1',
    contactId: 'c1',
    phone: '+442071838750',
    type: 'text',
    body: 'Grüße 👋',
    receivedAt: timestamp,
  },
};
const body = JSON.stringify(delivery);

const vectors = [
  [
    'Hello, World!',
    "It's a Secret to Everybody",
    '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  ],
  [
    'what do ya want for nothing?',
    'Jefe',
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
  [
    'Test Using Larger Than Block-Size Key - Hash Key First',
    new Uint8Array(131).fill(0xaa),
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  ],
];

export const webhooks = {
  async 'signs and verifies the published vectors'({ webhooks: { signWebhook, signWebhookAsync, ...rest } }) {
    for (const [text, key, expected] of vectors) {
      equal(signWebhook(text, key), expected);
      equal(await signWebhookAsync(text, key), expected);
      equal(rest.verifyWebhook(text, expected, key), true);
      equal(rest.verifyWebhook(utf8.encode(text), expected.toUpperCase(), key), true);
      equal(await rest.verifyWebhookAsync(text, expected, key).then((bytes) => bytes.length), text.length);
    }
  },

  'refuses a truncated tag'({ webhooks: { verifyWebhook } }) {
    const key = new Uint8Array(20).fill(0x0c);
    equal(verifyWebhook('Test With Truncation', 'a3b6167473100ee06e0c796c2955552b', key), false);
  },

  'takes every kind of body and several secrets'({ webhooks: { signWebhook, verifyWebhook } }) {
    const signature = signWebhook(body, secret);
    const bytes = utf8.encode(body);
    const within = new Uint8Array(bytes.length + 8);
    within.set(bytes, 4);
    for (const raw of [body, bytes, bytes.buffer, within.subarray(4, -4), new DataView(bytes.buffer)])
      equal(verifyWebhook(raw, signature, secret), true, `a ${Object.prototype.toString.call(raw)}`);
    equal(verifyWebhook(body, signature, ['whsec_other', secret]), true);
    equal(verifyWebhook(body, signature, [utf8.encode(secret)]), true);
    equal(verifyWebhook(body, signature, 'whsec_other'), false);
    equal(verifyWebhook(body, signature, secret.slice('whsec_'.length)), false);
  },

  async 'refuses every malformed signature, sync and async alike'({ webhooks: exports }) {
    const { signWebhook, verifyWebhook, verifyWebhookAsync, WebhookVerificationError } = exports;
    const signature = signWebhook(body, secret);
    const short = signature.slice(0, -1);
    const malformed = [
      [
        undefined,
        null,
        '',
        [],
        signature + signature,
        ` ${signature}`,
        `${signature}\n`,
        `sha256=${signature}`,
      ],
      [short, `${short}g`, `${short}é`, `${short}\u0130`, `${short}\0`, '\u{1F600}'.repeat(32), {}, 7, true],
      [
        [signature, signature],
        `${signature}, ${signature}`,
        `${short}${short.at(-1) === '0' ? '1' : '0'}`.slice(1),
      ],
    ].flat();
    for (const wrong of malformed) {
      equal(verifyWebhook(body, wrong, secret), false, String(wrong));
      await rejects(verifyWebhookAsync(body, wrong, secret), WebhookVerificationError);
    }
  },

  async "refuses a programmer's errors with a TypeError"({
    webhooks: { verifyWebhook, verifyWebhookAsync },
  }) {
    const signature = '0'.repeat(64);
    const wrong = [
      [delivery, secret],
      [undefined, secret],
      [new Request('https://receiver.example', { method: 'POST', body }), secret],
      ['\uD800', secret],
      [body, ''],
      [body, 'whsec_'],
      [body, 'k\0'],
      [body, undefined],
      [body, []],
    ];
    for (const [rawBody, key] of wrong) {
      throws(() => verifyWebhook(rawBody, signature, key), TypeError);
      await rejects(verifyWebhookAsync(rawBody, signature, key), TypeError);
    }
  },

  async 'unwraps a delivery'({ webhooks: { signWebhook, unwrapWebhook, unwrapWebhookAsync } }) {
    const signature = signWebhook(body, secret);
    equal(unwrapWebhook(body, signature, secret, { clock }), delivery);
    equal(await unwrapWebhookAsync(utf8.encode(body), signature, secret, { clock }), delivery);
    const unknown = JSON.stringify({ event: 'contact.moved', workspaceId: 'w1', timestamp, data: {} });
    equal(unwrapWebhook(unknown, signWebhook(unknown, secret), secret, { clock }).event, 'contact.moved');
  },

  async 'says why it does not unwrap'({ webhooks: exports }) {
    const { signWebhook, unwrapWebhook, unwrapWebhookAsync, WebhookVerificationError } = exports;
    const reasons = async (reason, rawBody, signature, options = { clock }) => {
      throws(() => unwrapWebhook(rawBody, signature, secret, options), WebhookVerificationError, { reason });
      await rejects(unwrapWebhookAsync(rawBody, signature, secret, options), WebhookVerificationError, {
        reason,
      });
    };
    await reasons('missing_signature', body, null);
    await reasons('malformed_signature', body, 'zz');
    await reasons('signature_mismatch', body, '0'.repeat(64));
    const notUtf8 = new Uint8Array([0x22, 0xff, 0x22]);
    await reasons('invalid_encoding', notUtf8, signWebhook(notUtf8, secret));
    await reasons('invalid_json', '{', signWebhook('{', secret));
    await reasons('unexpected_shape', '[]', signWebhook('[]', secret));
    const later = { clock: { now: () => clock.now() + 48 * 3_600_000 } };
    await reasons('too_old', body, signWebhook(body, secret), later);
    const earlier = { clock: { now: () => clock.now() - 3_600_000 } };
    await reasons('too_new', body, signWebhook(body, secret), earlier);
  },

  'keeps bytes apart that a lossy decoder would not'({ webhooks: { signWebhook, verifyWebhook } }) {
    const [one, other] = [new Uint8Array([0xff]), new Uint8Array([0xfe])];
    equal(verifyWebhook(other, signWebhook(one, secret), secret), false);
    const withMark = new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d]);
    equal(verifyWebhook(withMark, signWebhook(withMark, secret), secret), true);
    equal(verifyWebhook('{}', signWebhook(withMark, secret), secret), false);
  },

  'is not fooled by __proto__ in a body'({ webhooks: { signWebhook, unwrapWebhook } }) {
    const hostile = body.replace('"data":{', '"data":{"__proto__":{"admin":true},');
    const event = unwrapWebhook(hostile, signWebhook(hostile, secret), secret, { clock });
    ok({}.admin === undefined && event.data.admin === undefined, 'no polluted prototype');
  },
};
