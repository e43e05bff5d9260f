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
