import { describe, expect, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.js';
import { answer, type Behaviour, hang, startReceiver } from '../support/receiver.js';
import { askWith } from '../support/reference.js';
import { deliverTo, hmac, openWorkspace } from '../support/subscribed.js';

describe('a delivery', () => {
  test('is a POST of the very bytes that are signed', async () => {
    const receiver = await startReceiver();
    const { server, subscribe, deliver } = openWorkspace();
    const { secret } = await subscribe(`${receiver.url}?tenant=a%20b`);
    await deliver('Grüße, 👋 \ud800 \u2028 "</script>"');

    expect(receiver.received).toHaveLength(1);
    const [received] = receiver.received;
    expect(received).toMatchObject({ method: 'POST', path: '/hooks?tenant=a%20b' });
    expect(received?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-signature': hmac(secret, received?.body ?? new Uint8Array()),
      'content-length': String(received?.body.length),
    });
    expect(received?.headers.authorization).toBeUndefined();
    const [delivery] = await server.journal.deliveries();
    expect(Buffer.from(delivery?.body ?? [])).toEqual(received?.body);
    expect(delivery).toMatchObject({
      id: expect.stringMatching(/^delivery_/),
      event: 'message.received',
      status: 'delivered',
      attempts: [{ number: 1, status: 200, answer: '', signature: received?.headers['x-service-signature'] }],
    });
  });

  test('goes to each subscription that wants the event, signed with its own secret', async () => {
    const [one, two, other] = [await startReceiver(), await startReceiver(), await startReceiver()];
    const { subscribe, deliver } = openWorkspace();
    const first = await subscribe(one.url);
    const second = await subscribe(two.url, ['message.received']);
    await subscribe(other.url, ['contact.opted_in', 'contact.opted_out']);
    await deliver();
    const [toOne, toTwo] = [one.received[0], two.received[0]];
    expect([one.received.length, two.received.length, other.received.length]).toEqual([1, 1, 0]);
    expect(toOne?.body).toEqual(toTwo?.body);
    expect(toOne?.headers['x-service-signature']).toBe(hmac(first.secret, toOne?.body ?? new Uint8Array()));
    expect(toTwo?.headers['x-service-signature']).toBe(hmac(second.secret, toTwo?.body ?? new Uint8Array()));
  });

  test('goes twice to a URL that is subscribed twice', async () => {
    const { receiver, subscribe, deliver } = await deliverTo([]);
    await subscribe(receiver.url);
    await deliver();
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map(({ headers }) => headers['x-service-signature'])).size).toBe(2);
  });

  test('does not wait for one to a receiver that hangs', async () => {
    const machine = new ManualClock();
    const quick = await startReceiver();
    const { receiver, server, subscribe, receive, statuses } = await deliverTo([hang], {
      systemClock: machine,
    });
    await subscribe(quick.url);
    for (const count of [1, 2]) {
      await receive();
      await Promise.all([receiver.arrived(count), quick.arrived(count)]);
    }
    await expect
      .poll(async () => [...(await statuses())].sort())
      .toEqual(['delivered', 'delivered', 'pending', 'pending']);
    machine.pass(5_000);
    await server.settled();
  });

  test('is made for every event, however many come at once', async () => {
    const { receiver, server, receive, statuses } = await deliverTo([]);
    await Promise.all(Array.from({ length: 40 }, (_, i) => receive(`message ${i}`)));
    await server.settled();
    expect(receiver.received).toHaveLength(40);
    expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(40);
    expect(new Set(await statuses())).toEqual(new Set(['delivered']));
  });

  test('is one of two at once to a subscription that has not acknowledged any, or fails', async () => {
    const machine = new ManualClock();
    const { receiver, server, receive, outcomes } = await deliverTo([hang], { systemClock: machine });
    await Promise.all(Array.from({ length: 10 }, () => receive()));
    for (let arrived = 2; arrived <= 10; arrived += 2) {
      await receiver.arrived(arrived);
      expect(machine.waiting).toBe(2);
      machine.pass(5_000);
    }
    await server.settled();
    expect(receiver.received).toHaveLength(10);
    for (const outcome of await outcomes()) expect(outcome).toEqual(['pending', [expect.any(String)]]);
  });
});

describe('the response of a receiver', () => {
  test.each([200, 201, 202, 204, 226, 299])('acknowledges with %i', async (status) => {
    const { deliver, outcomes } = await deliverTo([answer(status)]);
    await deliver();
    expect(await outcomes()).toEqual([['delivered', [undefined]]]);
  });

  test('is in the journal', async () => {
    const text = '{"ok":"ja, 👋"}';
    const { server, deliver } = await deliverTo([(response) => response.writeHead(200).end(text)]);
    await deliver();
    expect(await server.journal.deliveries()).toMatchObject([{ attempts: [{ answer: text }] }]);
  });

  test('is cut at 4,096 bytes, also if it never ends', async () => {
    let cut: Promise<void> | undefined;
    const endless: Behaviour = (response) => {
      cut = new Promise((resolve) => response.on('close', resolve));
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(1_000)));
        response.once('drain', write);
      };
      response.writeHead(200);
      write();
    };
    const { server, deliver } = await deliverTo([endless]);
    await deliver();
    await cut;
    expect(await server.journal.deliveries()).toMatchObject([
      { status: 'delivered', attempts: [{ answer: 'x'.repeat(4_096) }] },
    ]);
  });
});

describe('after its subscription is deleted', () => {
  test('an event makes no delivery', async () => {
    const { receiver, subscription, unsubscribe, deliver, outcomes } = await deliverTo([]);
    await unsubscribe(subscription);
    await deliver();
    expect([receiver.received, await outcomes()]).toEqual([[], []]);
  });

  test('a delivery that waits for its first attempt is cancelled', async () => {
    const { receiver, server, subscription, unsubscribe, receive, outcomes } = await deliverTo([]);
    await receive();
    await unsubscribe(subscription);
    await server.settled();
    expect(receiver.received).toEqual([]);
    expect(await outcomes()).toEqual([['cancelled', []]]);
  });

  test('a delivery that waits for a retry is cancelled, and the other subscription keeps its retry', async () => {
    const workspace = await deliverTo([answer(500)]);
    const { receiver, server, subscribe, subscription, unsubscribe, deliver, statuses, log } = workspace;
    const other = await startReceiver(answer(500), answer(204));
    await subscribe(other.url);
    await deliver();
    await unsubscribe(subscription);
    await server.clock.advance('1d');
    expect([receiver.received.length, other.received.length]).toEqual([1, 2]);
    expect(await statuses()).toEqual(['cancelled', 'delivered']);
    expect(log.filter(({ type }) => type === 'error')).toEqual([]);
  });

  test.each([
    [200, 'delivered'],
    [500, 'cancelled'],
  ])('a running delivery that ends with %i is %s', async (status, outcome) => {
    let respond = () => {};
    const held: Behaviour = (response) => {
      respond = () => answer(status)(response);
    };
    const workspace = await deliverTo([held]);
    const { receiver, server, subscription, unsubscribe, receive, statuses, log } = workspace;
    await receive();
    await receiver.arrived(1);
    await unsubscribe(subscription);
    respond();
    await server.settled();
    await server.clock.advance('1d');
    expect(receiver.received).toHaveLength(1);
    expect(await statuses()).toEqual([outcome]);
    expect(log.filter(({ type }) => type === 'delivery')).toMatchObject([{ outcome }]);
  });

  test('a delivery that was over stays as it was', async () => {
    const { server, subscription, unsubscribe, deliver, statuses } = await deliverTo([
      answer(200),
      answer(500),
    ]);
    await deliver();
    await deliver();
    await server.clock.advance('1d');
    await unsubscribe(subscription);
    expect(await statuses()).toEqual(['delivered', 'failed']);
  });
});

test('a delivery is retried also after its contact is deleted', async () => {
  const { receiver, server, deliver, statuses } = await deliverTo([answer(500), answer(200)]);
  await deliver();
  const [contactId] = receiver.received.map(({ body }) => JSON.parse(body.toString()).data.contactId);
  expect((await askWith(server)('DELETE', `/v1/contacts/${contactId}`)).status).toBe(204);
  await server.clock.advance('10s');
  expect(await statuses()).toEqual(['delivered']);
  expect(receiver.received[1]?.body).toEqual(receiver.received[0]?.body);
});
