import type { DeliveryFault, ReferenceServer, ServerLogEntry } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { answer, startReceiver } from '../support/receiver.js';
import { phone, startServer } from '../support/reference.js';
import { hmac, openWorkspace } from '../support/subscribed.js';
import { subscribeHandler } from './support/handler.js';

const write = (server: ReferenceServer, body: string) => server.simulate.inboundMessage({ phone, body });

/** How each delivery stands, with what is known of each attempt. */
async function attemptsOf(server: ReferenceServer) {
  const deliveries = await server.journal.deliveries();
  return deliveries.map(({ status, attempts }) => [
    status,
    ...attempts.map((attempt) => attempt.error ?? attempt.status),
  ]);
}

describe('a receiver that handles each delivery once', () => {
  test.each([false, true])('handles a duplicate once, concurrent: %s', async (concurrent) => {
    const server = startServer();
    const { handled, answered } = await subscribeHandler(server, concurrent);
    server.faults.add({ delivery: 'message.received', fault: { kind: 'duplicate', concurrent } });
    await write(server, 'Hello');
    await server.settled();
    expect(handled).toEqual(['Hello']);
    // A duplicate that comes while the first is at work is sent away with 503.
    expect(answered).toEqual(concurrent ? [503, 204] : [204, 204]);
    expect(await server.journal.find('attempt')).toMatchObject([
      { attempt: { number: 1, faults: [{ kind: 'duplicate', concurrent }] }, delivery: { attempts: [{}] } },
    ]);
  });

  test('handles once what the service sends again after a reset that came after the receipt', async () => {
    const server = startServer();
    const { handled, answered } = await subscribeHandler(server);
    server.faults.add({ delivery: 'any', nth: 1, fault: { kind: 'reset', when: 'after_receipt' } });
    await write(server, 'Hello');
    await server.settled();
    expect(handled).toEqual(['Hello']);
    await server.clock.advance('10s');
    expect(answered).toEqual([204, 204]);
    expect(handled).toEqual(['Hello']);
    expect(await attemptsOf(server)).toEqual([['delivered', 'the connection was reset', 204]]);
  });

  test('gets in another order what was reordered', async () => {
    const server = startServer();
    const { handled } = await subscribeHandler(server);
    server.faults.add({ delivery: 'message.received', nth: 2, fault: { kind: 'reorder' } });
    for (const body of ['one', 'two', 'three', 'four']) {
      await write(server, body);
      await server.settled();
    }
    expect(handled).toEqual(['one', 'three', 'two', 'four']);
    expect((await server.journal.find('attempt')).map(({ attempt }) => attempt.faults)).toEqual([
      undefined,
      undefined,
      [{ kind: 'reorder' }],
      undefined,
    ]);
  });

  test('gets pairs the wrong way round where every delivery is reordered', async () => {
    const server = startServer();
    const { handled } = await subscribeHandler(server);
    server.faults.add({ delivery: 'any', fault: { kind: 'reorder' } });
    for (const body of ['one', 'two', 'three', 'four']) {
      await write(server, body);
      await server.settled();
    }
    expect(handled).toEqual(['two', 'one', 'four', 'three']);
  });

  test('gets what nothing overtakes when its time is up', async () => {
    const server = startServer();
    const { handled } = await subscribeHandler(server);
    server.faults.add({ delivery: 'any', fault: { kind: 'reorder', atMost: '30s' } });
    await write(server, 'Hello');
    await server.settled();
    await server.clock.advance('29999ms');
    expect(handled).toEqual([]);
    await server.clock.advance(1);
    expect(handled).toEqual(['Hello']);
    const [delivery] = await server.journal.deliveries();
    expect(delivery?.attempts[0]?.startedAt).toBe(server.clock.now());
  });

  test.each(['signature', 'body'] as const)('refuses a tampered %s, and handles the retry', async (part) => {
    const server = startServer();
    const { handled, answered } = await subscribeHandler(server);
    server.faults.add({ delivery: 'any', times: 1, fault: { kind: 'tamper', part } });
    await write(server, 'Hello');
    await server.settled();
    expect([answered, handled]).toEqual([[401], []]);
    await server.clock.advance('10s');
    expect([answered, handled]).toEqual([[401, 204], ['Hello']]);
  });

  test('refuses a body that is no JSON, though it is rightly signed', async () => {
    const server = startServer();
    const { handled, answered } = await subscribeHandler(server);
    server.faults.add({ delivery: 'any', times: 1, fault: { kind: 'malformed_json' } });
    await write(server, 'Hello');
    await server.settled();
    expect([answered, handled]).toEqual([[400], []]);
  });

  test('is told of drift, and handles it', async () => {
    const server = startServer();
    const { handled, answered, drifts } = await subscribeHandler(server);
    server.faults.add({
      delivery: 'any',
      fault: { kind: 'drift', change: 'retype', field: 'data.conversationId' },
    });
    await write(server, 'Hello');
    await server.settled();
    expect([answered, handled, drifts]).toEqual([[204], ['Hello'], ['data.conversationId']]);
  });
});

describe('the service sees', () => {
  const seen: readonly (readonly [DeliveryFault, number, readonly (string | number)[]])[] = [
    [{ kind: 'status', status: 503 }, 0, ['pending', 'the receiver answered 503, not a 2xx']],
    [{ kind: 'status', status: 307 }, 0, ['pending', 'the receiver answered 307, not a 2xx']],
    [{ kind: 'status', status: 200 }, 0, ['delivered', 200]],
    [
      { kind: 'status', status: 502, when: 'after_receipt' },
      1,
      ['pending', 'the receiver answered 502, not a 2xx'],
    ],
    [{ kind: 'reset', when: 'before_receipt' }, 0, ['pending', 'the connection was reset']],
    [{ kind: 'reset', when: 'after_receipt' }, 1, ['pending', 'the connection was reset']],
  ];

  test.each(seen)('%o', async (fault, received, attempts) => {
    const receiver = await startReceiver(answer(204));
    const { server, subscribe, receive } = openWorkspace({ faults: [{ delivery: 'any', fault }] });
    await subscribe(receiver.url);
    await receive();
    await server.settled();
    expect(receiver.received).toHaveLength(received);
    expect(await attemptsOf(server)).toEqual([attempts]);
  });

  test.each(['before_receipt', 'after_receipt'] as const)(
    'no answer within five seconds of its own clock: a stall %s',
    async (when) => {
      const receiver = await startReceiver(answer(204));
      const { server, subscribe, receive } = openWorkspace();
      server.faults.add({ delivery: 'any', nth: 1, fault: { kind: 'stall', when } });
      await subscribe(receiver.url);
      await receive();
      await server.settled();
      const received = when === 'after_receipt' ? 1 : 0;
      expect(receiver.received).toHaveLength(received);
      await server.clock.advance('4999ms');
      expect(await attemptsOf(server)).toEqual([['pending']]);
      await server.clock.advance(1);
      expect(await attemptsOf(server)).toEqual([['pending', 'no complete answer within 5 s']]);
      await server.clock.advance('10s');
      expect(await attemptsOf(server)).toEqual([['delivered', 'no complete answer within 5 s', 204]]);
      expect(receiver.received).toHaveLength(received + 1);
    },
  );

  test('what the receiver gets after a latency', async () => {
    const receiver = await startReceiver(answer(204));
    const { server, subscribe, receive } = openWorkspace({ now: 0 });
    server.faults.add({ delivery: 'any', fault: { kind: 'latency', duration: '3s' } });
    await subscribe(receiver.url);
    await receive();
    await server.settled();
    expect(receiver.received).toHaveLength(0);
    await server.clock.advance('1m');
    expect(receiver.received).toHaveLength(1);
    const [delivery] = await server.journal.deliveries();
    expect(delivery?.attempts).toMatchObject([{ startedAt: 3_000, status: 204 }]);
  });

  test('the first answer where a delivery is duplicated', async () => {
    const receiver = await startReceiver(answer(500), answer(204), answer(204), answer(500));
    const { server, subscribe, receive } = openWorkspace();
    server.faults.add({ delivery: 'any', fault: { kind: 'duplicate' } });
    const { secret } = await subscribe(receiver.url);
    await receive();
    await server.settled();
    await server.clock.advance('10s');
    expect(await attemptsOf(server)).toEqual([['delivered', 'the receiver answered 500, not a 2xx', 204]]);
    expect(receiver.received).toHaveLength(4);
    for (const { body, headers } of receiver.received) {
      expect(body).toEqual(receiver.received[0]?.body);
      expect(headers['x-service-signature']).toBe(hmac(secret, body));
    }
  });
});

describe('what was injected', () => {
  test('is in the journal at once, with the attempt when it is over, and in the log', async () => {
    const receiver = await startReceiver(answer(204));
    const log: ServerLogEntry[] = [];
    const { server, subscribe, receive } = openWorkspace({ log: (entry) => log.push(entry) });
    server.faults.add({ delivery: 'any', fault: { kind: 'latency', duration: '1s' } });
    server.faults.add({ delivery: 'any', fault: { kind: 'tamper' } });
    const { secret } = await subscribe(receiver.url);
    await receive();
    const { event, deliveryId } = Object(await server.journal.waitFor('fault'));
    const [delivery] = await server.journal.deliveries();
    expect([event, deliveryId, delivery?.attempts]).toEqual(['message.received', delivery?.id, []]);
    await server.clock.advance('1s');
    const [attempt] = await server.journal.find('attempt');
    expect(attempt?.attempt.faults).toEqual([{ kind: 'latency', duration: '1s' }, { kind: 'tamper' }]);
    // The signature that went out, which is not the right one.
    expect(attempt?.attempt.signature).toBe(receiver.received[0]?.headers['x-service-signature']);
    expect(attempt?.attempt.signature).not.toBe(hmac(secret, receiver.received[0]?.body ?? Buffer.from('')));
    expect(log.findLast(({ type }) => type === 'delivery')).toMatchObject({ faults: ['latency', 'tamper'] });
  });

  test('stays with the subscription that a rule names', async () => {
    const [sick, healthy] = [await startReceiver(answer(204)), await startReceiver(answer(204))];
    const { server, subscribe, receive } = openWorkspace();
    const { id: subscriptionId } = await subscribe(sick.url);
    await subscribe(healthy.url);
    server.faults.add({ delivery: 'any', subscriptionId, fault: { kind: 'reset', when: 'before_receipt' } });
    await receive();
    await server.settled();
    expect([sick.received.length, healthy.received.length]).toEqual([0, 1]);
  });
});

test('what is held back goes on no more where the workspace is put back', async () => {
  const receiver = await startReceiver(answer(204));
  const { server, subscribe, receive } = openWorkspace();
  await subscribe(receiver.url);
  const before = await server.snapshot();
  const takeBack = server.faults.add({ delivery: 'any', nth: 1, fault: { kind: 'reorder' } });
  await receive('never delivered');
  await server.settled();
  takeBack();
  await server.restore(before);
  await receive('delivered');
  await server.settled();
  await server.clock.advance('1d');
  expect(receiver.received.map(({ body }) => JSON.parse(body.toString()).data.body)).toEqual(['delivered']);
});
