import { describe, expect, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.js';
import { hang, reply } from '../support/receiver.js';
import { deliverTo, hmac, openWorkspace } from '../support/subscribed.js';

const refused = (status: number) => `the receiver responded with ${status}`;

describe('a failed delivery', () => {
  test('is retried twice, with the same bytes and the same signature', async () => {
    const workspace = await deliverTo([reply(500), reply(404), reply(503)]);
    const { receiver, server, subscription, deliver, outcomes, log } = workspace;
    const startedAt = server.clock.now();
    await deliver();
    await server.clock.advance('1d');

    expect(receiver.received).toHaveLength(3);
    for (const { body, headers } of receiver.received) {
      expect(body).toEqual(receiver.received[0]?.body);
      expect(headers['x-service-signature']).toBe(hmac(subscription.secret, body));
    }
    expect(await outcomes()).toEqual([['failed', [500, 404, 503].map(refused)]]);
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
      ].map((entry, index) => ({ ...common, attempt: index + 1, error: refused(entry.status), ...entry })),
    );
  });

  test('waits from the end of its attempt, however long that took', async () => {
    const machine = new ManualClock();
    const { receiver, server, receive } = await deliverTo([hang, reply(204)], {
      systemClock: machine,
      clock: 'flowing',
    });
    await receive();
    await receiver.arrived(1);
    machine.pass(5_000);
    await server.settled();
    machine.pass(9_999);
    await server.settled();
    expect(receiver.received).toHaveLength(1);
    machine.pass(1);
    await receiver.arrived(2);
    await server.settled();
  });
});

describe('the reason of a failed attempt', () => {
  test('is that the connection was refused', async () => {
    const { receiver, server, subscribe, deliver, outcomes, log } = await deliverTo([]);
    await receiver.close();
    await subscribe(`http://localhost:${receiver.port}/hooks`);
    await deliver();
    const failed = ['pending', [expect.stringContaining('ECONNREFUSED')]];
    expect(await outcomes()).toEqual([failed, failed]);
    const [delivery] = await server.journal.deliveries();
    for (const each of [...(delivery?.attempts ?? []), ...log.filter(({ type }) => type === 'delivery')]) {
      expect(each).not.toHaveProperty('status');
      expect(each).not.toHaveProperty('response');
    }
  });

  test.each<[unknown, string]>([
    ['out of sockets', 'out of sockets'],
    [Object.assign(new Error('fetch failed'), { cause: 'no Error' }), 'fetch failed'],
    [new Error('fetch failed', { cause: new TypeError('') }), 'fetch failed: TypeError'],
    [
      new Error('fetch failed', { cause: Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }) }),
      'fetch failed: ECONNREFUSED',
    ],
  ])('is what a custom fetch throws, with its cause: %s', async (thrown, words) => {
    const { subscribe, deliver, outcomes } = openWorkspace({ fetch: () => Promise.reject(thrown) });
    await subscribe('https://example.com');
    await deliver();
    expect(await outcomes()).toEqual([['pending', [words]]]);
  });
});
