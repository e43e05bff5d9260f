import { expect, test } from 'vitest';
import { HostCheck } from '../../../src/server/http/other-origins.js';
import { defaultSpecGaps } from '../../../src/server/model/spec-gaps.js';

const foreign = [
  'evil.example',
  'evil.example:80',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'a b',
];
const own = [
  'localhost',
  'LOCALHOST:4010',
  'localhost.',
  'app.localhost',
  '127.0.0.1:1',
  '[::1]:4010',
  '10.0.0.7',
  '',
];
const loopback = ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'];

/** The status for a request with a Host header that arrives at an address of the server. */
function statusOf(check: HostCheck, host: string, localAddress: string): number {
  const request = {
    method: 'GET',
    path: '/',
    search: '',
    localAddress,
    header: (name: string) => (name === 'host' ? host : undefined),
    headers: () => [],
    gone: new AbortController().signal,
    readBody: async () => new Uint8Array(),
  };
  return check.refusal(request, defaultSpecGaps)?.status ?? 200;
}

test.each(loopback)('at %s the check rejects foreign hosts, and accepts its own', (address) => {
  const check = new HostCheck([]);
  for (const host of foreign) expect([host, statusOf(check, host, address)]).toEqual([host, 421]);
  for (const host of own) expect([host, statusOf(check, host, address)]).toEqual([host, 200]);
});

test('the check accepts allowed hosts in any letter case, and any host at other addresses', () => {
  const check = new HostCheck(['Service.test', 'second.test']);
  for (const host of ['service.test', 'SERVICE.test:4010', 'second.test.'])
    expect([host, statusOf(check, host, '127.0.0.1')]).toEqual([host, 200]);
  expect(statusOf(check, 'other.test', '127.0.0.1')).toBe(421);
  for (const address of ['192.168.1.5', '']) expect(statusOf(check, 'other.test', address)).toBe(200);
});
