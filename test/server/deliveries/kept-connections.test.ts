import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { attemptsBy } from '../../../src/server/deliveries/attempts.js';
import { NodeSender } from '../../../src/server/deliveries/node-sender.js';
import { settle, until, within } from '../../waiting.js';
import { ManualClock } from '../support/manual-clock.js';
import { startPort } from '../support/port.js';
import { startServer } from '../support/reference.js';
import { expectNoAttemptForAReset } from '../support/resets-kept-connections.js';

type Behaviour = (socket: Socket) => unknown;

const acknowledge: Behaviour = (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n');
const reset: Behaviour = (socket) => socket.resetAndDestroy();
const close: Behaviour = (socket) => socket.end();

/** A receiver that meets the requests in turn, the last behaviour all others, and what sends to it. */
async function startSending(...behaviours: readonly Behaviour[]) {
  let requests = 0;
  const { url, connections } = await startPort((socket, data) => {
    if (!data.toString('latin1').startsWith('POST ')) return;
    const behave = behaviours[Math.min(requests, behaviours.length - 1)];
    requests += 1;
    behave?.(socket);
  });
  const clock = new ManualClock();
  const attempts = attemptsBy(new NodeSender('loopback'), clock, 5_000);
  onTestFinished(() => attempts.close());
  const body = new TextEncoder().encode('{"event":"message.received"}');
  const createdAt = clock.now();
  const send = (to = url) =>
    attempts.make({
      ...{ url: to, body, signature: 'ab12', secret: 'whsec_1', redirects: 'follow' },
      delivery: {
        ...{ id: 'd1', subscriptionId: 's1', event: 'message.received', url: to, body },
        ...{ status: 'pending', attempts: [], createdAt },
      },
    });
  return { url, connections, clock, attempts, send, requests: () => requests };
}

/** Keeps one connection, and lets the receiver do something with it. */
async function startKept(...behaviours: readonly Behaviour[]) {
  const sending = await startSending(acknowledge, ...behaviours);
  expect(await sending.send()).toMatchObject({ status: 204 });
  await settle();
  const [kept] = sending.connections;
  if (kept === undefined) throw new Error('No connection came.');
  return { ...sending, kept };
}

/** What breaks a connection before any byte of a response. */
const breaks: Readonly<Record<string, Behaviour>> = {
  'resets it': reset,
  'closes it': close,
  'closes it for writing, and reads on': (socket) => {
    socket.allowHalfOpen = true;
    socket.end();
  },
};

/** What a receiver does to a request of which a byte of the response comes, and what the attempt is then. */
const begun: readonly (readonly [does: string, behave: Behaviour, attempt: object])[] = [
  [
    'resets it within the status',
    (socket) => socket.write('HTTP/1.1 20', () => socket.resetAndDestroy()),
    { error: expect.stringMatching(/^no response: /) },
  ],
  [
    'closes it after early hints',
    (socket) => socket.end('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
    { error: expect.stringMatching(/^no response: /) },
  ],
  [
    'resets it after the head',
    (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', () => socket.resetAndDestroy()),
    { status: 200, responseInterrupted: true },
  ],
  [
    'closes it within the body',
    (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab'),
    { status: 200, responseBody: 'ab', responseInterrupted: true },
  ],
  [
    'writes what is not HTTP',
    (socket) => socket.write('220 mail.example.com ESMTP\r\n'),
    { error: expect.stringMatching(/^no response: /) },
  ],
  [
    'refuses the request as too late',
    (socket) => socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
    { status: 408, error: 'the receiver responded with 408' },
  ],
];

describe('a request on a kept connection', () => {
  test.each(Object.entries(breaks))('is sent again at once if the receiver %s', async (_, behave) => {
    const { send, requests, connections } = await startKept(behave, acknowledge);
    const result = await within('the attempt', send());
    expect(result).toMatchObject({ status: 204 });
    expect(result).not.toHaveProperty('error');
    expect([requests(), connections.length]).toEqual([3, 2]);
  });

  test.each([
    ['closed', close],
    ['reset', reset],
  ])('that the receiver has just %s is sent again at once', async (_, behave) => {
    const { send, kept, connections } = await startKept(acknowledge);
    behave(kept);
    // Nothing of it has arrived here yet.
    expect(await within('the attempt', send())).toMatchObject({ status: 204 });
    expect(connections).toHaveLength(2);
  });

  test.each(begun)('counts if the receiver %s', async (_, behave, attempt) => {
    const { send, requests } = await startKept(behave, acknowledge);
    expect(await within('the attempt', send())).toMatchObject(attempt);
    expect(requests()).toBe(2);
  });

  test('counts if no response comes in time', async () => {
    const { clock, send, requests } = await startKept(() => {}, acknowledge);
    const late = send();
    await until('the request', () => requests() === 2);
    clock.pass(5_000);
    expect(await late).toMatchObject({ error: 'no complete response within 5 s' });
    await settle();
    expect(requests()).toBe(2);
  });

  test('is sent again only once', async () => {
    const { send, requests, connections } = await startKept(reset);
    expect(await within('the attempt', send())).toMatchObject({
      error: expect.stringMatching(/^no response: /),
    });
    expect([requests(), connections.length]).toEqual([3, 2]);
  });

  test('is sent again on a fresh connection, though another is kept', async () => {
    const { send, connections } = await startSending(acknowledge, acknowledge, reset, acknowledge);
    await within('two attempts at once', Promise.all([send(), send()]));
    await settle();
    expect(connections).toHaveLength(2);
    expect(await within('the attempt', send())).toMatchObject({ status: 204 });
    expect(connections).toHaveLength(3);
  });

  test('that is sent again has no more time than any other', async () => {
    const { clock, send, requests } = await startKept(
      (socket) => {
        clock.pass(3_000);
        reset(socket);
      },
      () => {},
    );
    const late = send();
    await until('the second request', () => requests() === 3);
    clock.pass(1_999);
    await settle();
    expect(clock.waiting).toBe(1);
    clock.pass(1);
    expect(await late).toMatchObject({ error: 'no complete response within 5 s', duration: 5_000 });
  });

  test('is not sent again once the server closes', async () => {
    const { attempts, send, requests } = await startKept((socket) => {
      attempts.close();
      reset(socket);
    });
    expect(await within('the attempt', send())).toMatchObject({ error: 'the server was closed' });
    await settle();
    expect(requests()).toBe(2);
  });

  test('is sent again where a redirect leads to one', async () => {
    const to = (socket: Socket) =>
      socket.write('HTTP/1.1 307 Elsewhere\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n');
    const { send, requests } = await startKept(to, reset, acknowledge);
    expect(await within('the attempt', send())).toMatchObject({
      status: 204,
      redirectedTo: expect.stringMatching(/\/there$/),
    });
    expect(requests()).toBe(4);
  });
});

describe('a request on a fresh connection', () => {
  test.each(Object.entries(breaks))('counts if the receiver %s', async (_, behave) => {
    const { send, requests } = await startSending(behave, acknowledge);
    expect(await within('the attempt', send())).toMatchObject({
      error: expect.stringMatching(/^no response: /),
    });
    expect(requests()).toBe(1);
  });

  test.each(begun)('counts if the receiver %s', async (_, behave, attempt) => {
    const { send, requests } = await startSending(behave, acknowledge);
    expect(await within('the attempt', send())).toMatchObject(attempt);
    expect(requests()).toBe(1);
  });

  test('follows one that the receiver closed before, and is the only one', async () => {
    const { send, kept, requests, connections } = await startKept(acknowledge);
    kept.end();
    await once(kept, 'close');
    await settle();
    expect(await within('the attempt', send())).toMatchObject({ status: 204 });
    expect([requests(), connections.length]).toEqual([2, 2]);
  });
});

test('a delivery in memory counts no attempt for a kept connection that is reset', async () => {
  await expectNoAttemptForAReset(startServer());
});
