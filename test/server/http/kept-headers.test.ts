import { expect, test } from 'vitest';
import { keptHeaders } from '../../../src/server/http/kept-headers.js';

const key = 'mk_live_123';

test.each([
  'Authorization',
  'proxy-authorization',
  'Cookie',
  'Set-Cookie',
  'X-Api-Key',
  'X-Auth-Token',
  'Session-Id',
  'X-Signature',
])('the value of %s is masked', (name) => {
  expect(keptHeaders([[name, 'confidential']], key)).toEqual([[name, '***']]);
});

test('other headers stay as they came, in their order, also when one comes twice', () => {
  const headers = [
    ['User-Agent', 'curl/8'],
    ['Idempotency-Key', 'order_1'],
    ['X-Tag', 'a'],
    ['X-Tag', ''],
  ] as const;
  expect(keptHeaders(headers, '')).toEqual(headers);
});

test('the key and a signing secret are masked in the value of any header', () => {
  const headers = [['Referer', `https://example.com/?a=${key}&b=whsec_c2VjcmV0&c=3`]] as const;
  expect(keptHeaders(headers, key)).toEqual([['Referer', 'https://example.com/?a=***&b=whsec_***&c=3']]);
});

test('the first 2,048 characters are kept, in whole headers', () => {
  const fits: readonly [string, string] = ['a', 'x'.repeat(2_047)];
  expect(keptHeaders([fits], key)).toEqual([fits]);
  expect(keptHeaders([fits, ['b', '']], key)).toEqual([fits]);
  expect(
    keptHeaders(
      [
        ['a', 'x'.repeat(2_048)],
        ['b', ''],
      ],
      key,
    ),
  ).toEqual([]);
});
