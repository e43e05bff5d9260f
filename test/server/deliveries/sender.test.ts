import { describe, expect, onTestFinished, test } from 'vitest';
import { FetchSender } from '../../../src/server/deliveries/fetch-sender.js';
import { NodeSender } from '../../../src/server/deliveries/node-sender.js';
import type { Sender } from '../../../src/server/deliveries/sender.js';
import { ManualClock } from '../support/manual-clock.js';
import { answer, hang, startReceiver } from '../support/receiver.js';

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
    expect(await sender.send({ ...attempt, url: receiver.url })).toEqual({ status: 200, answer: '' });
    sender.close();
    expect(await sender.send({ ...attempt, url: receiver.url })).toStrictEqual({
      error: 'the server was closed',
    });
    expect(receiver.received).toHaveLength(1);
    expect(clock.waiting).toBe(0);
  });

  test('gives up what is under way, and leaves alone what is over', async () => {
    const clock = new ManualClock();
    const receiver = await startReceiver(answer(204), hang);
    const sender = createSender(clock);
    expect(await sender.send({ ...attempt, url: receiver.url })).toEqual({ status: 204, answer: '' });
    const sent = sender.send({ ...attempt, url: receiver.url });
    await receiver.arrived(2);
    sender.close();
    expect(await sent).toStrictEqual({ error: 'the server was closed' });
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
    expect(await answered(text)).toEqual({ status: 200, answer: text });
    expect(await answered('x'.repeat(3_000), 'x'.repeat(3_000))).toEqual({ status: 200, answer: text });
  });

  test('may come in pieces that cut a character', async () => {
    const [hand, rest] = [Buffer.from('👋'), 'x'.repeat(4_092)];
    const { answer: read } = await answered(hand.subarray(0, 1), hand.subarray(1, 3), hand.subarray(3), rest);
    expect(read).toBe(`👋${rest}`);
  });
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
  expect(await sender.send({ ...attempt, url: 'http://127.0.0.1:1/' })).toEqual({
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
  expect(await sent).toEqual({ ...seen, error: 'no complete answer within 5 s' });

  const closed = sender.send({ ...attempt, url: 'http://127.0.0.1:1/' });
  await new Promise(setImmediate);
  sender.close();
  expect(await closed).toEqual({ ...seen, error: 'the server was closed' });
});
