import { expect, test } from 'vitest';
import { FetchSender } from '../../../src/server/deliveries/fetch-sender.js';
import { ManualClock } from '../support/manual-clock.js';
import { startReceiver } from '../support/receiver.js';

const attempt = { body: new Uint8Array([1]), signature: 'ab', redirects: 'fail' } as const;

test('a closed sender sends nothing more, and leaves no timer', async () => {
  const clock = new ManualClock();
  const receiver = await startReceiver();
  const sender = new FetchSender(fetch, clock, 5_000, 'loopback');
  expect(await sender.send({ ...attempt, url: receiver.url })).toEqual({ status: 200, answer: '' });
  sender.close();
  expect(await sender.send({ ...attempt, url: receiver.url })).toEqual({ error: 'the server was closed' });
  expect(receiver.received).toHaveLength(1);
  expect(clock.waiting).toBe(0);
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
