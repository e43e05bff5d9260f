import type { ReferenceServerOptions } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { problemWithAddress, problemWithUrl } from '../../../src/server/service/address-policy.js';
import { startReceiver } from '../support/receiver.js';
import { askWith, refusal, startServer } from '../support/reference.js';
import { resolving } from '../support/resolving.js';
import { deliverTo, openWorkspace } from '../support/subscribed.js';

const inner = [
  '127.0.0.1',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  'fd00::1',
  'fe80::1',
  'ff02::1',
  '::ffff:127.0.0.1',
  '::ffff:192.168.0.1',
  '::7f00:1',
  '::5db8:d822',
  '::ffff:0:7f00:1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::7f00:1',
  '2002:7f00:1::',
  '2001:0:7f00:1::',
  'fec0::1',
  '4000::1',
  'not an address',
];

describe('an address', () => {
  test.each(inner)('that is not public is refused: %s', (address) => {
    expect(problemWithAddress(address, 'public')).toContain('public address');
  });

  test.each(['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'])(
    'that is public is allowed: %s',
    (address) => {
      expect(problemWithAddress(address, 'public')).toBeUndefined();
    },
  );

  test('of this machine is allowed too by loopback, and every address by any', () => {
    const through = inner.filter((address) => problemWithAddress(address, 'loopback') === undefined);
    expect(through).toEqual(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
    expect(inner.filter((address) => problemWithAddress(address, 'any') !== undefined)).toEqual([]);
  });
});

describe('the URL of a receiver', () => {
  test.each([
    ['http://localhost/hooks', 'public'],
    ['https://app.localhost/hooks', 'public'],
    ['https://127.0.0.1/hooks', 'public'],
    ['https://[::1]/hooks', 'public'],
    ['https://localhost./hooks', 'public'],
    ['https://2130706433/hooks', 'public'],
    ['https://[::127.0.0.1]/hooks', 'public'],
    ['https://[::127.0.0.1]/hooks', 'loopback'],
    ['https://[::ffff:127.0.0.1]/hooks', 'public'],
    ['https://[::ffff:10.0.0.1]/hooks', 'loopback'],
    ['https://[64:ff9b::10.0.0.1]/hooks', 'loopback'],
    ['http://example.com/hooks', 'public'],
    ['https://:password@example.com/hooks', 'any'],
    ['http://notlocalhost/hooks', 'loopback'],
    ['http://localhost.example.com/hooks', 'loopback'],
    ['http://127.0.0.1.example.com/hooks', 'loopback'],
    ['http://[2606:4700::1111]/hooks', 'loopback'],
    ['file:///etc/passwd', 'any'],
  ] as const)('%s is refused with %s addresses', (url, allowed) => {
    expect(problemWithUrl(url, allowed)).toMatch(/^must /);
  });

  test.each([
    ['https://example.com/hooks', 'public'],
    ['http://app.localhost:3000/hooks', 'loopback'],
    ['http://localhost.:3000/hooks', 'loopback'],
    ['http://127.255.0.10:3000/hooks', 'loopback'],
    ['http://[::1]:3000/hooks', 'loopback'],
    ['https://[2606:4700::1111]/hooks', 'public'],
    ['https://example.com./hooks', 'public'],
    ['http://app:3000/hooks', 'any'],
    ['http://10.0.0.1/hooks', 'any'],
  ] as const)('%s is allowed with %s addresses', (url, allowed) => {
    expect(problemWithUrl(url, allowed)).toBeUndefined();
  });
});

test('the refusal of http:// says for which hosts it is allowed', () => {
  const forThisMachine = ' (http:// is allowed only for localhost, 127.0.0.0/8 and [::1])';
  expect(problemWithUrl('http://example.com', 'loopback')).toBe(`must begin with https://${forThisMachine}`);
  for (const host of ['example.com', 'localhost']) {
    expect(problemWithUrl(`http://${host}`, 'public')).toBe('must begin with https://');
  }
});

test.each([
  ['of 2,048 characters', `https://example.com/${'x'.repeat(2_028)}`, 201],
  ['of 2,049 characters', `https://example.com/${'x'.repeat(2_029)}`, 400],
  ['with a tab', 'https://example.com/ho\toks', 400],
  ['with a space in it', 'https://example.com/my hooks', 400],
  ['with a space that is encoded', 'https://example.com/my%20hooks', 201],
  ['that begins with a null', '\0https://example.com/hooks', 400],
  ['with a letter that is not ASCII', 'https://example.com/größe', 400],
  ['with backslashes', 'https:\\\\example.com\\hooks', 400],
  ['with a password', 'https://user:password@example.com/', 400],
  ['with an international host in ASCII', 'https://xn--exmple-cua.com/gr%C3%B6%C3%9Fe', 201],
])('a subscription to a URL %s', async (_, url, status) => {
  const ask = askWith(startServer({ receiverAddresses: 'any' }));
  const response = await ask('POST', '/v1/webhooks', { url, events: ['message.received'] });
  expect(response.status).toBe(status);
  expect(response.body).toMatchObject(status === 201 ? { url } : refusal('invalid_request', 'url'));
  expect(JSON.stringify(response.body)).not.toContain('password@');
});

/** An attempt that was refused for where it leads. */
const notPublic = { error: expect.stringContaining('must resolve to a public address') };

/** The deliveries of one message to a subscription with this URL. */
async function deliveriesTo(url: string, options: ReferenceServerOptions = {}) {
  const { subscribe, deliver, server } = openWorkspace(options);
  await subscribe(url);
  await deliver();
  await server.clock.runToIdle();
  return server.journal.deliveries();
}

test('a URL with an inner address is refused, also if a snapshot brings it', async () => {
  const { server: lenient } = await deliverTo([]);
  const { server } = openWorkspace({ receiverAddresses: 'public' });
  await expect(server.restore(await lenient.snapshot())).rejects.toThrow(
    'subscriptions[0].url must begin with https://',
  );
});

describe('a name', () => {
  test('of an inner address is not connected to, whatever its address was before', async () => {
    resolving(['10.0.0.1'], ['127.0.0.1'], ['169.254.169.254']);
    const options: ReferenceServerOptions = {
      receiverAddresses: 'public',
      specGaps: { retryBackoff: [0, 0] },
    };
    expect(await deliveriesTo('https://rebinding.example/hooks', options)).toMatchObject([
      { status: 'failed', attempts: [notPublic, notPublic, notPublic] },
    ]);
  });

  test.each([
    ['first', ['10.0.0.1', '127.0.0.1']],
    ['last', ['127.0.0.1', '10.0.0.1']],
  ])('with several addresses, of which the %s is an inner one, is not connected to', async (_, addresses) => {
    const receiver = await startReceiver();
    resolving(addresses);
    const url = `http://receiver.localhost:${receiver.port}/hooks`;
    expect(await deliveriesTo(url)).toMatchObject([{ status: 'failed', attempts: Array(3).fill(notPublic) }]);
    expect(receiver.received).toEqual([]);
  });

  test('is connected to at the very address that was checked', async () => {
    const receiver = await startReceiver();
    resolving(['127.0.0.1'], ['10.0.0.1']);
    const host = `receiver.example:${receiver.port}`;
    await deliveriesTo(`http://${host}/hooks`, { receiverAddresses: 'any' });
    expect(receiver.received).toMatchObject([{ headers: { host } }]);
  });
});
