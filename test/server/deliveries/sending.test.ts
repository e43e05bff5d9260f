import { describe, expect, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.js';
import { answer, hang, startReceiver } from '../support/receiver.js';
import { hmac, openWorkspace } from '../support/subscribed.js';

describe('a delivery', () => {
  test('is a POST of the very bytes that are signed', async () => {
    const receiver = await startReceiver();
    const { server, subscribe, receive } = openWorkspace();
    const { secret } = await subscribe(`${receiver.url}?tenant=a%20b`);
    await receive('Grüße, 👋 \ud800 \u2028 "</script>"');
    await server.settled();

    expect(receiver.received).toHaveLength(1);
    const [received] = receiver.received;
    expect(received).toMatchObject({ method: 'POST', path: '/hooks?tenant=a%20b' });
    expect(received?.headers['content-type']).toBe('application/json');
    expect(received?.headers['x-service-signature']).toBe(hmac(secret, received?.body ?? new Uint8Array()));
    expect(received?.headers['content-length']).toBe(String(received?.body.length));
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
    const { server, subscribe, receive } = openWorkspace();
    const first = await subscribe(one.url);
    const second = await subscribe(two.url, ['message.received']);
    await subscribe(other.url, ['contact.opted_in', 'contact.opted_out']);
    await receive();
    await server.settled();
    const [toOne, toTwo] = [one.received[0], two.received[0]];
    expect([one.received.length, two.received.length, other.received.length]).toEqual([1, 1, 0]);
    expect(toOne?.body).toEqual(toTwo?.body);
    expect(toOne?.headers['x-service-signature']).toBe(hmac(first.secret, toOne?.body ?? new Uint8Array()));
    expect(toTwo?.headers['x-service-signature']).toBe(hmac(second.secret, toTwo?.body ?? new Uint8Array()));
  });

  test('goes twice to a URL that is subscribed twice', async () => {
    const receiver = await startReceiver();
    const { server, subscribe, receive } = openWorkspace();
    await subscribe(receiver.url);
    await subscribe(receiver.url);
    await receive();
    await server.settled();
    const [one, two] = receiver.received;
    expect(receiver.received).toHaveLength(2);
    expect(one?.headers['x-service-signature']).not.toBe(two?.headers['x-service-signature']);
  });

  test('does not wait for one to a receiver that hangs', async () => {
    const machine = new ManualClock();
    const [slow, quick] = [await startReceiver(hang), await startReceiver()];
    const { server, subscribe, receive, outcomes } = openWorkspace({ systemClock: machine });
    await subscribe(slow.url);
    await subscribe(quick.url);
    await receive();
    await Promise.all([slow.arrived(1), quick.arrived(1)]);
    await receive();
    await Promise.all([slow.arrived(2), quick.arrived(2)]);
    await expect
      .poll(async () => (await outcomes()).map(([status]) => status).sort())
      .toEqual(['delivered', 'delivered', 'pending', 'pending']);
    machine.pass(5_000);
    await server.settled();
  });

  test('is made for every event, however many come at once', async () => {
    const receiver = await startReceiver();
    const { server, subscribe, receive, outcomes } = openWorkspace();
    await subscribe(receiver.url);
    await Promise.all(Array.from({ length: 100 }, (_, i) => receive(`message ${i}`)));
    await server.settled();
    expect(receiver.received).toHaveLength(100);
    expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(100);
    expect((await outcomes()).every(([status]) => status === 'delivered')).toBe(true);
  });

  test('is one of two under way to a subscription that has acknowledged none, or fails', async () => {
    const machine = new ManualClock();
    const receiver = await startReceiver(hang);
    const { server, subscribe, receive, outcomes } = openWorkspace({ systemClock: machine });
    await subscribe(receiver.url);
    await Promise.all(Array.from({ length: 40 }, () => receive()));
    for (let arrived = 2; arrived <= 40; arrived += 2) {
      await receiver.arrived(arrived);
      expect(machine.waiting).toBe(2);
      machine.pass(5_000);
    }
    await server.settled();
    expect(receiver.received).toHaveLength(40);
    expect((await outcomes()).every(([status, errors]) => status === 'pending' && errors.length === 1)).toBe(
      true,
    );
  });
});

describe('the answer of a receiver', () => {
  test.each([200, 201, 202, 204, 226, 299])('acknowledges with %i', async (status) => {
    const receiver = await startReceiver(answer(status));
    const { server, subscribe, receive, outcomes } = openWorkspace();
    await subscribe(receiver.url);
    await receive();
    await server.settled();
    expect(await outcomes()).toEqual([['delivered', [undefined]]]);
  });

  test('is kept in the journal', async () => {
    const receiver = await startReceiver((response) => response.writeHead(200).end('{"ok":"ja, 👋"}'));
    const { server, subscribe, receive } = openWorkspace();
    await subscribe(receiver.url);
    await receive();
    await server.settled();
    const [delivery] = await server.journal.deliveries();
    expect(delivery?.attempts).toMatchObject([{ answer: '{"ok":"ja, 👋"}' }]);
  });

  test('is cut at 4,096 bytes, though it never ends', async () => {
    let cut: Promise<void> | undefined;
    const receiver = await startReceiver((response) => {
      cut = new Promise((resolve) => response.on('close', resolve));
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(1_000)));
        response.once('drain', write);
      };
      response.writeHead(200);
      write();
    });
    const { server, subscribe, receive, outcomes } = openWorkspace();
    await subscribe(receiver.url);
    await receive();
    await server.settled();
    await cut;
    const [delivery] = await server.journal.deliveries();
    expect(delivery?.attempts[0]?.answer).toBe('x'.repeat(4_096));
    expect(await outcomes()).toEqual([['delivered', [undefined]]]);
  });
});
