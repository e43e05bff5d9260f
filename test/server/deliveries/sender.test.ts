import { describe, expect, onTestFinished, test } from 'vitest';
import { FetchSender } from '../../../src/server/deliveries/fetch-sender.js';
import { NodeSender } from '../../../src/server/deliveries/node-sender.js';
import type { Sender } from '../../../src/server/deliveries/sender.js';
import { ManualClock } from '../support/manual-clock.js';
import { answer, type Behaviour, hang, startReceiver } from '../support/receiver.js';

const attempt = { body: new Uint8Array([1]), signature: 'ab', redirects: 'fail' } as const;

const senders: readonly (readonly [string, (clock: ManualClock) => Sender])[] = [
  ["Node's own HTTP", (clock) => new NodeSender({ clock, timeout: 5_000, receiverAddresses: 'loopback' })],
  ['fetch', (clock) => new FetchSender(fetch, clock, 5_000, 'loopback')],
];

describe.each(senders)('a closed sender, by %s', (_, createSender) => {
  test('sends nothing more, and leaves no timer', async () => {
    const clock = new ManualClock();
    const receiver = await startReceiver();
    const sender = createSender(clock);
    expect(await sender.send({ ...attempt, url: receiver.url })).toMatchObject({ status: 200, answer: '' });
    sender.close();
    const refused = await sender.send({ ...attempt, url: receiver.url });
    expect(refused).toMatchObject({ error: 'the server was closed' });
    expect(refused).not.toHaveProperty('status');
    expect(receiver.received).toHaveLength(1);
    expect(clock.waiting).toBe(0);
  });

  test('gives up what is under way, and leaves alone what is over', async () => {
    const clock = new ManualClock();
    const receiver = await startReceiver(answer(204), hang);
    const sender = createSender(clock);
    expect(await sender.send({ ...attempt, url: receiver.url })).toMatchObject({ status: 204, answer: '' });
    const sent = sender.send({ ...attempt, url: receiver.url });
    await receiver.arrived(2);
    sender.close();
    expect(await sent).toMatchObject({ error: 'the server was closed' });
    expect(await sent).not.toHaveProperty('status');
    expect(clock.waiting).toBe(0);
  });
});

describe.each(senders)('an answer, by %s', (_, createSender) => {
  async function answered(...chunks: readonly (string | Buffer)[]) {
    const receiver = await startReceiver((response) => {
      // It never ends.
      const write = ([chunk, ...others]: readonly (string | Buffer)[]) => {
        if (chunk !== undefined) response.write(chunk, () => setImmediate(write, others));
      };
      write(chunks);
    });
    const sender = createSender(new ManualClock());
    onTestFinished(() => sender.close());
    return sender.send({ ...attempt, url: receiver.url });
  }

  test('is read up to 4,096 bytes', async () => {
    const text = 'x'.repeat(4_096);
    expect(await answered(text)).toMatchObject({ status: 200, answer: text });
    expect(await answered('x'.repeat(3_000), 'x'.repeat(3_000))).toMatchObject({ status: 200, answer: text });
  });

  test('may come in pieces that cut a character', async () => {
    const [hand, rest] = [Buffer.from('👋'), 'x'.repeat(4_092)];
    const { answer: read } = await answered(hand.subarray(0, 1), hand.subarray(1, 3), hand.subarray(3), rest);
    expect(read).toBe(`👋${rest}`);
  });
});

describe.each(senders)('the clocks of an attempt, by %s', (_, createSender) => {
  async function sentTo(behave: Behaviour) {
    const clock = new ManualClock();
    const receiver = await startReceiver((response) => {
      clock.pass(70);
      behave(response);
    });
    const sender = createSender(clock);
    onTestFinished(() => sender.close());
    return sender.send({ ...attempt, url: receiver.url });
  }
  const dated = (date: string) => sentTo((response) => response.writeHead(204, { Date: date }).end());

  test("tell when it was sent and how long it took, by the machine's clock", async () => {
    const sent = { machineTime: Date.UTC(2026, 0, 1), duration: 70 };
    expect(await sentTo(answer(204))).toMatchObject({ ...sent, status: 204 });
    expect(await sentTo((response) => response.destroy())).toMatchObject({
      ...sent,
      error: expect.any(String),
    });
  });

  test('tell the time of the receiver', async () => {
    expect(await dated('Sun, 06 Nov 1994 08:49:37 GMT')).toMatchObject({
      receiverTime: Date.UTC(1994, 10, 6, 8, 49, 37),
    });
    expect(
      await sentTo((response) => {
        response.writeHead(200, { Date: 'Sun, 06 Nov 1994 08:49:37 GMT', 'Content-Length': 9 });
        response.write('abc', () => response.destroy());
      }),
    ).toMatchObject({
      status: 200,
      receiverTime: Date.UTC(1994, 10, 6, 8, 49, 37),
      error: expect.any(String),
    });
  });

  test.each(['tomorrow', '0', '2026-01-01', 'Sun, 06 Nov 1994 28:49:37 GMT'])(
    'tell no time of the receiver for the Date %s',
    async (date) => {
      expect(await dated(date)).not.toHaveProperty('receiverTime');
    },
  );
});

test('an answer of a fetch is read up to 4,096 bytes, whatever its pieces', async () => {
  const chunks = ['a', 'b', 'c'].map((letter) => new TextEncoder().encode(letter.repeat(2_000)));
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
    },
  });
  const sender = new FetchSender(async () => new Response(body), new ManualClock(), 5_000, 'loopback');
  const text = 'a'.repeat(2_000) + 'b'.repeat(2_000) + 'c'.repeat(96);
  expect(await sender.send({ ...attempt, url: 'http://127.0.0.1:1/' })).toMatchObject({
    status: 200,
    answer: text,
  });
});

test('an attempt goes to its receiver as JSON that is signed', async () => {
  for (const [, createSender] of senders) {
    const receiver = await startReceiver();
    const sender = createSender(new ManualClock());
    onTestFinished(() => sender.close());
    await sender.send({ ...attempt, url: receiver.url });
    expect(receiver.received).toMatchObject([
      { method: 'POST', headers: { 'content-type': 'application/json', 'x-service-signature': 'ab' } },
    ]);
  }
});

test.each([
  ['never answers', () => new Promise<Response>(() => {}), {}],
  ['never ends its answer', async () => new Response(new ReadableStream({})), { status: 200 }],
])('a fetch that takes no notice of its signal and %s is given up in time', async (_, fetch, seen) => {
  const clock = new ManualClock();
  const sender = new FetchSender(fetch, clock, 5_000, 'loopback');
  const sent = sender.send({ ...attempt, url: 'http://127.0.0.1:1/' });
  await new Promise(setImmediate);
  clock.pass(5_000);
  expect(await sent).toEqual({
    ...seen,
    error: 'no complete answer within 5 s',
    machineTime: Date.UTC(2026, 0, 1),
    duration: 5_000,
  });

  const closed = sender.send({ ...attempt, url: 'http://127.0.0.1:1/' });
  await new Promise(setImmediate);
  sender.close();
  expect(await closed).toMatchObject({ ...seen, error: 'the server was closed' });
});
