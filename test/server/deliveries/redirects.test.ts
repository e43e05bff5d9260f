import { describe, expect, onTestFinished, test } from 'vitest';
import { FetchSender } from '../../../src/server/deliveries/fetch-sender.js';
import { NodeSender } from '../../../src/server/deliveries/node-sender.js';
import type { Attempt, Sender } from '../../../src/server/deliveries/sender.js';
import { ManualClock } from '../support/manual-clock.js';
import { type Behaviour, hang, startReceiver } from '../support/receiver.js';

const to =
  (location: string | undefined): Behaviour =>
  (response) => {
    response.writeHead(307, location === undefined ? {} : { Location: location }).end();
  };

const senders: readonly (readonly [string, (clock: ManualClock) => Sender])[] = [
  ["Node's own HTTP", (clock) => new NodeSender({ clock, timeout: 5_000, receiverAddresses: 'loopback' })],
  ['fetch', (clock) => new FetchSender(fetch, clock, 5_000, 'loopback')],
];

describe.each(senders)('a redirect, by %s', (_, createSender) => {
  async function sending(redirects: Attempt['redirects'], ...behaviours: readonly Behaviour[]) {
    const clock = new ManualClock();
    const sender = createSender(clock);
    onTestFinished(() => sender.close());
    const receiver = await startReceiver(...behaviours);
    const body = new TextEncoder().encode('{"event":"Grüße"}');
    const result = sender.send({ url: receiver.url, body, signature: 'ab12', redirects });
    return { clock, receiver, body, result };
  }

  test('is a failure unless it is to be followed', async () => {
    const { receiver, result } = await sending('fail', to('/elsewhere'));
    expect(await result).toMatchObject({ status: 307, error: 'the receiver answered 307, not a 2xx' });
    expect(receiver.received).toHaveLength(1);
  });

  test('is followed as a POST of the same bytes with the same signature', async () => {
    const { receiver, body, result } = await sending('follow', to('elsewhere?a=1'), (response) => {
      response.writeHead(200).end('thanks');
    });
    expect(await result).toMatchObject({ status: 200, answer: 'thanks' });
    expect(receiver.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /hooks',
      'POST /elsewhere?a=1',
    ]);
    for (const received of receiver.received) {
      expect(new Uint8Array(received.body)).toEqual(body);
      expect(received.headers).toMatchObject({
        'x-service-signature': 'ab12',
        'content-type': 'application/json',
      });
    }
  });

  test.each([
    ['https://10.0.0.1/', 'the receiver redirected to a URL that must lead to a public address'],
    [
      'https://[::ffff:169.254.169.254]/',
      'the receiver redirected to a URL that must lead to a public address',
    ],
    ['http://example.com/', /^the receiver redirected to a URL that must begin with https:/],
    ['https://user:word@example.com/', /^the receiver redirected to a URL that must not contain a user name/],
    ['file:///etc/hosts', /^the receiver redirected to a URL that must begin with https:/],
    ['http://[', 'the receiver redirected to no URL'],
  ])('to %s is not followed', async (location, error) => {
    const { receiver, result } = await sending('follow', to(location));
    const expected = typeof error === 'string' ? error : expect.stringMatching(error);
    expect(await result).toMatchObject({ status: 307, error: expected });
    expect(receiver.received).toHaveLength(1);
  });

  test('without a place to go to is a failure like any other', async () => {
    const { result } = await sending('follow', to(undefined));
    expect(await result).toMatchObject({ status: 307, error: 'the receiver answered 307, not a 2xx' });
  });

  test('leads to no more than three others', async () => {
    const { receiver, result } = await sending('follow', to('/hooks'));
    expect(await result).toMatchObject({ status: 307, error: 'the receiver redirected more than 3 times' });
    expect(receiver.received).toHaveLength(4);
  });

  test('gives no more time', async () => {
    const { clock, receiver, result } = await sending(
      'follow',
      (response) => {
        clock.pass(3_000);
        to('/elsewhere')(response);
      },
      hang,
    );
    await receiver.arrived(2);
    clock.pass(1_999);
    expect(clock.waiting).toBe(1);
    clock.pass(1);
    expect(await result).toMatchObject({ error: 'no complete answer within 5 s', duration: 5_000 });
    expect(clock.waiting).toBe(0);
  });
});
