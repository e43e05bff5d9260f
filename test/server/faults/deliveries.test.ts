import type { DeliveryFault, DeliveryFaultRule, ReferenceServerOptions } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { reply } from '../support/receiver.js';
import { deliverTo, hmac, openWorkspace, type Workspace } from '../support/subscribed.js';
import { subscribeHandler } from './support/handler.js';

type Rule = Omit<DeliveryFaultRule, 'delivery'>;

const injecting = (rule: Rule): ReferenceServerOptions => ({
  faults: [{ delivery: 'message.received', ...rule }],
});

/** A server that injects a fault into its deliveries, to a receiver that handles each message once. */
async function handling(rule: Rule, isSlow = false) {
  const workspace = openWorkspace(injecting(rule));
  return { ...workspace, ...(await subscribeHandler(workspace.server, isSlow)) };
}

/** The status of each delivery, with the error or the status of each attempt. */
async function attemptsOf({ server }: Pick<Workspace, 'server'>) {
  const deliveries = await server.journal.deliveries();
  return deliveries.map(({ status, attempts }) => [
    status,
    ...attempts.map((attempt) => attempt.error ?? attempt.status),
  ]);
}

describe('a receiver that handles each delivery once', () => {
  test.each([false, true])('handles a duplicate once, concurrent: %s', async (concurrent) => {
    const fault = { kind: 'duplicate', concurrent } as const;
    const { server, deliver, handled, responded } = await handling({ fault }, concurrent);
    await deliver();
    expect(handled).toEqual(['Hello']);
    // A duplicate that comes while the first is handled waits for it.
    expect(responded).toEqual([204, 204]);
    expect(await server.journal.find('attempt')).toMatchObject([
      { attempt: { number: 1, faults: [fault] }, delivery: { attempts: [{}] } },
    ]);
  });

  test('handles once what is sent again after a reset that came after the receipt', async () => {
    const workspace = await handling({ nth: 1, fault: { kind: 'reset', when: 'after_receipt' } });
    await workspace.deliver();
    expect(workspace.handled).toEqual(['Hello']);
    await workspace.server.clock.advance('10s');
    expect([workspace.responded, workspace.handled]).toEqual([[204, 204], ['Hello']]);
    expect(await attemptsOf(workspace)).toEqual([['delivered', 'the connection was reset', 204]]);
  });

  test.each<[string, Rule, readonly string[]]>([
    ['one delivery', { nth: 2, fault: { kind: 'reorder' } }, ['one', 'three', 'two', 'four']],
    ['every delivery', { fault: { kind: 'reorder' } }, ['two', 'one', 'four', 'three']],
  ])('gets the messages in another order after a reorder of %s', async (_, rule, order) => {
    const { server, deliver, handled } = await handling(rule);
    for (const body of ['one', 'two', 'three', 'four']) await deliver(body);
    expect(handled).toEqual(order);
    const reordered = (await server.journal.find('attempt')).map(({ attempt }) => attempt.faults?.[0]?.kind);
    const kind = 'reorder';
    expect(reordered).toEqual(rule.nth === 2 ? [undefined, undefined, kind, undefined] : Array(4).fill(kind));
  });

  test('gets a reordered message at last if no other follows', async () => {
    const { server, deliver, handled } = await handling({ fault: { kind: 'reorder', atMost: '30s' } });
    await deliver();
    await server.clock.advance('29999ms');
    expect(handled).toEqual([]);
    await server.clock.advance(1);
    expect(handled).toEqual(['Hello']);
    const [delivery] = await server.journal.deliveries();
    expect(delivery?.attempts[0]?.startedAt).toBe(server.clock.now());
  });

  test.each<[DeliveryFault, number]>([
    [{ kind: 'tamper', part: 'signature' }, 401],
    [{ kind: 'tamper', part: 'body' }, 401],
    [{ kind: 'malformed_json' }, 400],
  ])('refuses a delivery with %j, and handles its retry', async (fault, status) => {
    const { server, deliver, handled, responded } = await handling({ times: 1, fault });
    await deliver();
    expect([responded, handled]).toEqual([[status], []]);
    await server.clock.advance('10s');
    expect([responded, handled]).toEqual([[status, 204], ['Hello']]);
  });

  test('handles drift, and reports it', async () => {
    const field = 'data.conversationId';
    const { deliver, handled, responded, drifts } = await handling({
      fault: { kind: 'drift', change: 'retype', field },
    });
    await deliver();
    expect([responded, handled, drifts]).toEqual([[204], ['Hello'], [field]]);
  });
});

describe('the service sees', () => {
  test.each<[DeliveryFault, number, readonly (string | number)[]]>([
    [{ kind: 'status', status: 503 }, 0, ['pending', 'the receiver responded with 503']],
    [{ kind: 'status', status: 307 }, 0, ['pending', 'the receiver responded with 307']],
    [{ kind: 'status', status: 200 }, 0, ['delivered', 200]],
    [
      { kind: 'status', status: 502, when: 'after_receipt' },
      1,
      ['pending', 'the receiver responded with 502'],
    ],
    [{ kind: 'reset', when: 'before_receipt' }, 0, ['pending', 'the connection was reset']],
    [{ kind: 'reset', when: 'after_receipt' }, 1, ['pending', 'the connection was reset']],
  ])('%o', async (fault, received, attempts) => {
    const workspace = await deliverTo([reply(204)], injecting({ fault }));
    await workspace.deliver();
    expect(workspace.receiver.received).toHaveLength(received);
    expect(await attemptsOf(workspace)).toEqual([attempts]);
  });

  test.each([
    ['before_receipt', 0],
    ['after_receipt', 1],
  ] as const)('no response within five seconds of its own clock: a stall %s', async (when, received) => {
    const workspace = await deliverTo([reply(204)], injecting({ nth: 1, fault: { kind: 'stall', when } }));
    const { server, receiver, deliver } = workspace;
    const late = 'no complete response within 5 s';
    await deliver();
    expect(receiver.received).toHaveLength(received);
    await server.clock.advance('4999ms');
    expect(await attemptsOf(workspace)).toEqual([['pending']]);
    await server.clock.advance(1);
    expect(await attemptsOf(workspace)).toEqual([['pending', late]]);
    await server.clock.advance('10s');
    expect(await attemptsOf(workspace)).toEqual([['delivered', late, 204]]);
    expect(receiver.received).toHaveLength(received + 1);
  });
});

test('an injected fault is in the journal at once, with the attempt when it is over, and in the log', async () => {
  const latency = { kind: 'latency', duration: '1s' } as const;
  const { receiver, server, subscription, receive, log } = await deliverTo([reply(204)], {
    faults: [
      { delivery: 'any', fault: latency },
      { delivery: 'any', fault: { kind: 'tamper' } },
    ],
  });
  await receive();
  const { event, deliveryId } = Object(await server.journal.waitFor('fault'));
  const [delivery] = await server.journal.deliveries();
  expect([event, deliveryId, delivery?.attempts]).toEqual(['message.received', delivery?.id, []]);
  await server.clock.advance('1s');
  const [attempt] = await server.journal.find('attempt');
  expect(attempt?.attempt.faults).toEqual([latency, { kind: 'tamper' }]);
  // The signature that was sent, which is not the right one.
  const [received] = receiver.received;
  expect(attempt?.attempt.signature).toBe(received?.headers['x-service-signature']);
  expect(attempt?.attempt.signature).not.toBe(hmac(subscription.secret, received?.body ?? Buffer.from('')));
  expect(log.findLast(({ type }) => type === 'delivery')).toMatchObject({ faults: ['latency', 'tamper'] });
});

test('a delivery that a fault holds back is not sent after a restore', async () => {
  const { receiver, server, deliver } = await deliverTo([reply(204)]);
  const before = await server.snapshot();
  const remove = await server.faults.add({ delivery: 'any', nth: 1, fault: { kind: 'reorder' } });
  await deliver('never delivered');
  await remove();
  await server.restore(before);
  await deliver('delivered');
  await server.clock.advance('1d');
  expect(receiver.received.map(({ body }) => JSON.parse(body.toString()).data.body)).toEqual(['delivered']);
});
