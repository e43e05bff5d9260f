import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.js';
import { startPort } from '../support/port.js';
import { answer, type Behaviour, hang, startReceiver } from '../support/receiver.js';
import { hmac, openWorkspace } from '../support/subscribed.js';

describe('a failed delivery', () => {
  test('is retried twice, with the same bytes and the same signature', async () => {
    const receiver = await startReceiver(answer(500), answer(404), answer(503));
    const { server, subscribe, receive, outcomes, log } = openWorkspace();
    const { secret } = await subscribe(receiver.url);
    const startedAt = server.clock.now();
    await receive();
    await server.settled();
    await server.clock.advance('1d');

    expect(receiver.received).toHaveLength(3);
    for (const { body, headers } of receiver.received) {
      expect(body).toEqual(receiver.received[0]?.body);
      expect(headers['x-service-signature']).toBe(hmac(secret, body));
    }
    expect(await outcomes()).toEqual([
      [
        'failed',
        [
          'the receiver answered 500, not a 2xx',
          'the receiver answered 404, not a 2xx',
          'the receiver answered 503, not a 2xx',
        ],
      ],
    ]);
    const [delivery] = await server.journal.deliveries();
    expect(delivery?.attempts.map((attempt) => [attempt.number, attempt.startedAt - startedAt])).toEqual([
      [1, 0],
      [2, 10_000],
      [3, 70_000],
    ]);
    const timeAfter = (wait: number) => new Date(startedAt + wait).toISOString();
    const common = {
      type: 'delivery',
      deliveryId: delivery?.id,
      subscriptionId: delivery?.subscriptionId,
      event: 'message.received',
    };
    expect(log.filter((entry) => entry.type === 'delivery')).toStrictEqual(
      [
        { time: timeAfter(0), status: 500, outcome: 'retrying', nextAttempt: timeAfter(10_000) },
        { time: timeAfter(10_000), status: 404, outcome: 'retrying', nextAttempt: timeAfter(70_000) },
        { time: timeAfter(70_000), status: 503, outcome: 'failed' },
      ].map((entry, index) => ({
        ...common,
        attempt: index + 1,
        error: `the receiver answered ${entry.status}, not a 2xx`,
        ...entry,
      })),
    );
  });

  test('that succeeds at last is retried no more', async () => {
    const receiver = await startReceiver(answer(500), answer(500), answer(200));
    const { server, subscribe, receive, outcomes, log } = openWorkspace();
    await subscribe(receiver.url);
    await receive();
    await server.settled();
    await server.clock.advance('1d');
    expect(receiver.received).toHaveLength(3);
    expect(await outcomes()).toMatchObject([
      ['delivered', [expect.any(String), expect.any(String), undefined]],
    ]);
    const last = log.at(-1);
    expect(last).toMatchObject({ attempt: 3, status: 200, outcome: 'delivered' });
    expect(last).not.toHaveProperty('error');
  });

  test('waits as long as the options say', async () => {
    const receiver = await startReceiver(answer(500));
    const { server, subscribe, receive } = openWorkspace({ specGaps: { retryBackoff: ['2s', 500] } });
    await subscribe(receiver.url);
    await receive();
    await server.settled();
    const counts: number[] = [];
    for (const wait of [1_999, 1, 499, 1, '1d'] as const) {
      await server.clock.advance(wait);
      counts.push(receiver.received.length);
    }
    expect(counts).toEqual([1, 2, 2, 3, 3]);
  });

  test('does not hold up the deliveries after it', async () => {
    const receiver = await startReceiver(answer(500), answer(200));
    const { server, subscribe, receive, outcomes } = openWorkspace();
    await subscribe(receiver.url);
    await receive('first');
    await server.settled();
    await receive('second');
    await server.settled();
    expect((await outcomes()).map(([status]) => status)).toEqual(['pending', 'delivered']);
    await server.clock.advance('10s');
    expect((await outcomes()).map(([status]) => status)).toEqual(['delivered', 'delivered']);
  });

  test.each([300, 301, 302, 303, 307, 308])(
    'is what a redirect with %i makes of it: it is not followed',
    async (status) => {
      const elsewhere = await startReceiver();
      const receiver = await startReceiver((response) =>
        response.writeHead(status, { Location: elsewhere.url }).end(),
      );
      const { server, subscribe, receive, outcomes } = openWorkspace();
      await subscribe(receiver.url);
      await receive();
      await server.settled();
      expect(elsewhere.received).toEqual([]);
      expect(await outcomes()).toEqual([['pending', [`the receiver answered ${status}, not a 2xx`]]]);
    },
  );

  test('logs why there was no answer: refused', async () => {
    const receiver = await startReceiver();
    await receiver.close();
    const { server, subscribe, receive, outcomes, log } = openWorkspace();
    await subscribe(receiver.url);
    await subscribe(`http://localhost:${receiver.port}/hooks`);
    await receive();
    await server.settled();
    expect(await outcomes()).toEqual([
      ['pending', [expect.stringContaining('ECONNREFUSED')]],
      ['pending', [expect.stringContaining('ECONNREFUSED')]],
    ]);
    const [delivery] = await server.journal.deliveries();
    expect(delivery?.attempts[0]).not.toHaveProperty('status');
    expect(delivery?.attempts[0]).not.toHaveProperty('answer');
    for (const entry of log.filter(({ type }) => type === 'delivery')) {
      expect(entry).not.toHaveProperty('status');
    }
  });

  test.each<[string, (socket: Socket) => void]>([
    ['reset', (socket) => socket.resetAndDestroy()],
    ['closed', (socket) => socket.end()],
    ['garbage', (socket) => socket.end('Guten Tag\r\n\r\n')],
    ['half a head', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-')],
    ['half a body', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf')],
    [
      'a broken chunk',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n'),
    ],
  ])('logs why there was no answer: %s', async (_, behave) => {
    const { server, subscribe, receive, outcomes } = openWorkspace();
    await subscribe((await startPort(behave)).url);
    await receive();
    await server.settled();
    expect(await outcomes()).toEqual([['pending', [expect.stringMatching(/\w+: \w+/)]]]);
  });

  test('logs what a fetch of its own throws', async () => {
    const { server, subscribe, receive, outcomes } = openWorkspace({
      fetch: () => Promise.reject('out of sockets'),
      specGaps: { retryBackoff: [0, 0] },
    });
    await subscribe('https://example.com');
    await receive();
    await server.settled();
    await server.clock.advance(0);
    expect(await outcomes()).toEqual([['failed', ['out of sockets', 'out of sockets', 'out of sockets']]]);
  });

  test.each([
    [Object.assign(new Error('fetch failed'), { cause: 'no Error' }), 'fetch failed'],
    [new Error('fetch failed', { cause: new TypeError('') }), 'fetch failed: TypeError'],
    [
      new Error('fetch failed', { cause: Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }) }),
      'fetch failed: ECONNREFUSED',
    ],
  ])('tells what is known of the cause: %s', async (thrown, words) => {
    const { server, subscribe, receive, outcomes } = openWorkspace({ fetch: () => Promise.reject(thrown) });
    await subscribe('https://example.com');
    await receive();
    await server.settled();
    expect(await outcomes()).toEqual([['pending', [words]]]);
  });
});

describe('the time a receiver has', () => {
  const stalls: readonly (readonly [string, Behaviour, number | undefined])[] = [
    ['no answer at all', hang, undefined],
    ['headers and no body', (response) => response.writeHead(200).flushHeaders(), 200],
    ['half a body', (response) => response.writeHead(200, { 'Content-Length': '100' }).write('half'), 200],
  ];

  test.each(stalls)('ends after five seconds: %s', async (_, behaviour, status) => {
    const machine = new ManualClock();
    const receiver = await startReceiver(behaviour);
    const heads: Response[] = [];
    const { server, subscribe, receive, outcomes } = openWorkspace({
      systemClock: machine,
      async fetch(...request) {
        const response = await fetch(...request);
        heads.push(response);
        return response;
      },
    });
    await subscribe(receiver.url);
    await receive();
    await receiver.arrived(1);
    machine.pass(4_999);
    expect(await outcomes()).toEqual([['pending', []]]);
    if (status !== undefined) await expect.poll(() => heads).toHaveLength(1);
    machine.pass(1);
    await server.settled();
    expect(await outcomes()).toEqual([['pending', ['no complete answer within 5 s']]]);
    const [delivery] = await server.journal.deliveries();
    expect(delivery?.attempts[0]?.status).toBe(status);
    expect(machine.waiting).toBe(0);
  });

  test('can be set', async () => {
    const machine = new ManualClock();
    const receiver = await startReceiver(hang);
    const { server, subscribe, receive, outcomes } = openWorkspace({
      systemClock: machine,
      deliveryTimeout: '250ms',
    });
    await subscribe(receiver.url);
    await receive();
    await receiver.arrived(1);
    machine.pass(250);
    await server.settled();
    expect(await outcomes()).toEqual([['pending', ['no complete answer within 0.25 s']]]);
  });
});
