import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { deflateSync, gzipSync } from 'node:zlib';
import {
  diagnoseWebhook,
  signWebhook,
  type WebhookFault,
  type WebhookSecret,
} from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { messageBody, messageData, messageDelivery } from './delivery-body.js';

const keyBytes = Buffer.from('a key of thirty-two bytes, or so');
const secret = `whsec_${keyBytes.toString('base64')}`;
const signature = signWebhook(messageBody, secret);
const digest = Buffer.from(signature, 'hex');

/** Diagnoses, and gives what was found in short: `!` stands before what is only suspected. */
function found(body: string | Uint8Array, given: unknown, secrets: WebhookSecret | readonly WebhookSecret[]) {
  const diagnosis = Reflect.apply(diagnoseWebhook, undefined, [body, given, secrets]);
  return diagnosis.findings.map(
    ({ fault, proven }: { fault: WebhookFault; proven: boolean }) => `${proven ? '' : '!'}${fault}`,
  );
}

describe('a delivery that verifies', () => {
  test('has no findings', () => {
    expect(diagnoseWebhook(messageBody, signature.toUpperCase(), secret)).toEqual({
      verified: true,
      secretIndex: 0,
      findings: [],
      complete: true,
    });
  });

  test('verifies however large it is', () => {
    const large = new Uint8Array(40 * 1024 * 1024);
    expect(diagnoseWebhook(large, signWebhook(large, secret), secret).verified).toBe(true);
  });
});

describe('the signature', () => {
  test.each<[WebhookFault, unknown]>([
    ['signature_malformed', `sha256=${signature}`],
    ['signature_malformed', `"${signature.toUpperCase()}"`],
    ['signature_malformed', digest.toString('base64')],
    ['signature_malformed', `${signature}, ${signature}`],
    ['signature_malformed', ['0'.repeat(64), signature]],
  ])('%s, proven: %j', (fault, given) => {
    expect(found(messageBody, given, secret)).toEqual([fault]);
  });

  test.each<[WebhookFault, unknown]>([
    ['signature_missing', undefined],
    ['signature_missing', ''],
    ['signature_malformed', secret],
    ['signature_malformed', signature.slice(0, 40)],
    ['signature_malformed', 'none'],
    ['signature_malformed', [[signature]]],
  ])('%s: %j', (fault, given) => {
    expect(found(messageBody, given, secret)).toEqual([`!${fault}`]);
  });

  test('is suspected of its form where it matches in no form', () => {
    const other = `sha256=${'0'.repeat(64)}`;
    expect(found(messageBody, other, secret)).toEqual(['!signature_malformed', '!unexplained']);
  });

  test('is not read without end', () => {
    const late = `${'x '.repeat(4096)}${signature}`;
    expect(found(messageBody, late, secret)).toEqual(['!signature_malformed']);
  });
});

describe('the body', () => {
  const delivery = {
    ...messageDelivery,
    data: { ...messageData, body: 'Grüße <b>&</b> a/b', extra: [1, null] },
  };
  const compact = JSON.stringify(delivery);
  /** Writes some characters as escapes. */
  const escaped = (json: string, characters: RegExp) =>
    json.replaceAll(characters, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const beyondAscii = /[^ -~]/g;
  const spaced = compact.replaceAll('":', '": ').replaceAll(',"', ', "').replaceAll(',null', ', null');
  const reversed = JSON.stringify(Object.fromEntries(Object.entries(delivery).reverse()));

  test.each([
    ['compact, written with indentation', compact, JSON.stringify(delivery, undefined, 2)],
    ["Python's", escaped(spaced, beyondAscii), compact],
    ['spaced, but not escaped', spaced, compact],
    ["PHP's", escaped(compact, beyondAscii).replaceAll('/', '\\/'), compact],
    ["Go's", escaped(compact, /[<>&]/g), compact],
    ["Go's, in ASCII alone", '{"event":"a/\\u003cb"}', '{"event":"a/<b"}'],
    ['in the documented order', compact, reversed],
    ['in another order, without data', '{"event":"x","data":7}', '{"data":7,"event":"x"}'],
  ])('body_rewritten: %s', (_, signed, received) => {
    expect(received).not.toBe(signed);
    const made = signWebhook(signed, secret);
    expect(found(received, made, secret)).toEqual(['body_rewritten']);
    expect(found(Buffer.from(received), made, secret)).toEqual(['body_rewritten']);
  });

  const lines = '{\n"event": "x"\n}';
  const marked = `\uFEFF${messageBody}`;
  const binary = Buffer.from([255, 254, 0, 1, 2, 3]);
  test.each<[WebhookFault, string | Uint8Array, string | Uint8Array]>([
    ['body_base64', messageBody, Buffer.from(messageBody).toString('base64')],
    ['body_base64', binary, binary.toString('base64')],
    ['body_white_space', marked, messageBody],
    ['body_white_space', messageBody, Buffer.from(marked)],
    ['body_white_space', messageBody, ` ${messageBody}\r\n`],
    ['body_white_space', `${messageBody}\r\n`, messageBody],
    ['body_white_space', lines, lines.replaceAll('\n', '\r\n')],
    ['body_charset', '{"body":"Grüße"}', Buffer.from(Buffer.from('{"body":"Grüße"}').toString('latin1'))],
    ['body_charset', '{"body":"Grüße"}', Buffer.from('{"body":"Grüße"}', 'latin1')],
    ['body_charset', messageBody, Buffer.from(messageBody).toString('latin1')],
  ])('%s, proven', (fault, signed, received) => {
    expect(found(received, signWebhook(signed, secret), secret)).toEqual([fault]);
  });

  test.each<[WebhookFault, string | Uint8Array]>([
    ['body_parsed', ''],
    ['body_parsed', '[object Object]'],
    ['body_compressed', gzipSync(messageBody)],
    ['body_compressed', gzipSync(messageBody).toString()],
    ['body_compressed', gzipSync(messageBody).toString('base64')],
    ['body_compressed', deflateSync(messageBody)],
    ['body_charset', messageBody.replace('\u{1F44B}', '\uFFFD\uFFFD')],
  ])('%s, suspected', (fault, received) => {
    expect(found(received, signature, secret)).toEqual([`!${fault}`, '!unexplained']);
  });

  test.each(['{"half', '{}', Uint8Array.of(0xff, 0xfe)])('is no delivery: %j', (body) => {
    expect(found(body, signature, secret)).toEqual(['!unexplained']);
  });
});

describe('the secret', () => {
  const bare = secret.slice('whsec_'.length);
  test.each<[WebhookFault, WebhookSecret]>([
    ['secret_white_space', `${secret}\n`],
    ['secret_white_space', `${secret}\\n`],
    ['secret_white_space', `\u200B${secret}\u00A0`],
    ['secret_quoted', `WEBHOOK_SECRET=${secret}`],
    ['secret_quoted', `whsec_${secret}`],
    ['secret_encoded', Buffer.from(secret).toString('base64')],
    ['secret_quoted', `"${secret}"`],
    ['secret_prefix_missing', bare],
  ])('%s, proven', (fault, given) => {
    expect(found(messageBody, signature, given)).toEqual([fault]);
  });

  test.each<[WebhookFault, string | Uint8Array, WebhookSecret]>([
    ['signed_otherwise', bare, secret],
    ['signed_otherwise', keyBytes, secret],
  ])('%s, proven, of a sender whose key is %j', (fault, key, given) => {
    expect(found(messageBody, signWebhook(messageBody, key), given)).toEqual([fault]);
  });

  test('is named by its place among several', () => {
    const diagnose = (...secrets: string[]) => diagnoseWebhook(messageBody, [signature], secrets);
    expect(diagnose('whsec_a', secret)).toMatchObject({ verified: true, secretIndex: 1 });
    expect(diagnose('whsec_a', 'whsec_b', `${secret}\n`)).toMatchObject({ verified: false, secretIndex: 2 });
  });

  test('is suspected of what can be seen on it', () => {
    const other = signWebhook(messageBody, 'whsec_other');
    expect(found(messageBody, other, ` "${bare}`)).toEqual([
      '!secret_white_space',
      '!secret_prefix_missing',
      '!unexplained',
    ]);
    expect(found(messageBody, other, [secret, new Uint8Array(2000).fill(7)])).toEqual(['!unexplained']);
  });
});

test('faults of body, secret and signature are found together', () => {
  const received = JSON.stringify(messageDelivery, undefined, 2);
  expect(found(received, `sha256=${signature}`, `${secret}\n`)).toEqual([
    'signature_malformed',
    'body_rewritten',
    'secret_white_space',
  ]);
});

describe('what no writing tells apart from a forgery', () => {
  const otherBody = messageBody.replace('Grüße', 'Hello');
  test.each<[string, string | Uint8Array, unknown, WebhookSecret | readonly WebhookSecret[]]>([
    ['the secret of another subscription', messageBody, signature, 'whsec_of_another_subscription'],
    ['the signature of another delivery', messageBody, signWebhook(otherBody, secret), secret],
    ['the body of another delivery', otherBody, signature, secret],
    ['white space lost from odd places', messageBody.replace(' ', ''), signature, secret],
  ])('%s', (_, body, given, secrets) => {
    expect(found(body, given, secrets)).toEqual(['!unexplained']);
  });

  test('lists each thing to check', () => {
    const [finding] = diagnoseWebhook(messageBody, signWebhook(otherBody, secret), secret).findings;
    for (const check of [/has its own secret/, /of one delivery/, /express\.raw/, /forged/])
      expect(finding?.advice).toMatch(check);
  });
});

describe('no diagnosis holds a secret, a signature or anything of the body', () => {
  const standard = createHmac('sha256', keyBytes).update(messageBody).digest('base64');
  const expected = (body: string | Uint8Array) => {
    const hex = signWebhook(body, secret);
    return [hex, hex.toUpperCase(), Buffer.from(hex, 'hex').toString('base64')];
  };
  test.each<[string, string | Uint8Array, unknown, WebhookSecret]>([
    ['forged', messageBody, '0'.repeat(64), secret],
    ['of body, signature and secret', `${messageBody}\n`, `sha256=${signature}`, `${secret}\n`],
    ['another scheme', messageBody, `v1,${standard}`, secret],
    ['the secret in place of the signature', messageBody, secret, secret],
    ['a secret with its name', messageBody, signature, `WEBHOOK_SECRET=${secret}`],
    ['a secret in base64', messageBody, signature, Buffer.from(secret).toString('base64')],
    ['a decoded secret', messageBody, signature, keyBytes],
    ['a body in base64', Buffer.from(messageBody).toString('base64'), signature, secret],
    ['a body cut short', messageBody.slice(0, -3), signature, secret],
  ])('%s', (_, body, given, key) => {
    const diagnosis = Reflect.apply(diagnoseWebhook, undefined, [body, given, key]);
    const text = JSON.stringify(diagnosis) + inspect(diagnosis, { depth: Infinity, showHidden: true });
    const keys = [secret.slice(6), keyBytes.toString(), keyBytes.toString('hex')];
    const leaks = [...expected(body), ...expected(messageBody), standard, ...keys];
    for (const leak of [...leaks, 'conversation_1', '+15551234567', 'Grüße'])
      expect(text).not.toContain(leak);
  });
});

test.each<[string, unknown, string]>([
  ['a parsed body', JSON.parse(messageBody), secret],
  ['a secret with a NUL', messageBody, `${secret}\0`],
  ['an empty secret', messageBody, ''],
])('%s is a TypeError, as for verifyWebhook, and holds nothing of either', (_, body, key) => {
  const diagnose = () => Reflect.apply(diagnoseWebhook, undefined, [body, signature, key]);
  expect(diagnose).toThrow(TypeError);
  expect(diagnose).not.toThrow(/whsec_YSBr|conversation_1/);
});

describe('the work is bounded', () => {
  test('for a body that is too large to be written anew', () => {
    const large = JSON.stringify({ body: 'x'.repeat(1024 * 1024) });
    const diagnosis = diagnoseWebhook(`${large}\n`, signWebhook(large, secret), secret);
    expect(diagnosis).toMatchObject({ verified: false, complete: false });
    expect(diagnosis.findings.map(({ fault }) => fault)).toEqual(['unexplained']);
  });

  test('for a body that takes too long to be hashed so often', () => {
    const large = JSON.stringify({ body: 'é/<'.repeat(300_000) });
    expect(diagnoseWebhook(large, '0'.repeat(64), secret).complete).toBe(false);
  });

  test('for many secrets', () => {
    const secrets = Array.from({ length: 300 }, (_, index) => `whsec_${index}`);
    expect(diagnoseWebhook(messageBody, '0'.repeat(64), secrets).complete).toBe(false);
    expect(diagnoseWebhook(messageBody, '0'.repeat(64), secret).complete).toBe(true);
  });

  test('for a body that would fill the memory if it were indented', () => {
    const deep = `{"data":${'['.repeat(5000)}${'1,'.repeat(200_000)}1${']'.repeat(5000)}}`;
    expect(diagnoseWebhook(deep, '0'.repeat(64), secret).complete).toBe(true);
  });
});
