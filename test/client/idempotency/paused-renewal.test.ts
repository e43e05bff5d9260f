import { createMemoryKeyValueStore } from 'messaging-automation';
import { expect, test } from 'vitest';
import { ManualClock } from '../../server/support/manual-clock.js';
import { settle, within, withResolvers } from '../../waiting.js';
import { send } from '../support/samples.js';
import { rejection } from '../support/service.js';
import { accepted, guardBehind, key, startSender } from './sending-once.js';

test('a paused call that renews its lease when it goes on has lost the key that was settled meanwhile', async () => {
  const clock = new ManualClock();
  const store = createMemoryKeyValueStore({ clock });
  const { another, requests } = await startSender(accepted, store);
  const [asked, goOn] = [withResolvers(), withResolvers()];
  const guard = guardBehind(asked, goOn);
  const ownClock = new ManualClock();
  const slow = another({ clock: ownClock, guards: [guard], timeout: 120_000 }).transactional.send(send, key);
  await within('the guard', asked.promise);
  clock.pass(31_000);
  const other = another();
  expect(await other.transactional.settle(key.idempotencyKey, 'not_sent')).toBe(true);
  expect(await other.transactional.send(send, key)).toEqual({ success: true });
  ownClock.pass(31_000); // the process goes on: the timer of the renewal is due
  await settle();
  goOn.resolve();
  await Promise.allSettled([slow]);
  expect(requests).toHaveLength(1);
  expect(await rejection(slow)).toMatchObject({ code: 'key_lost' });
  expect(requests).toHaveLength(1);
});
