import { expect, test } from 'vitest';
import { Turns } from '../../../src/server/deliveries/concurrency-limit.js';
import { Work } from '../../../src/server/time/work.js';
import { clockOf } from '../support/clock.js';
import { ManualClock } from '../support/manual-clock.js';

test('a task that waits by a clock is not under way meanwhile, also where the clock was stopped', async () => {
  const work = new Work(() => {});
  const clock = clockOf(new ManualClock(), 'frozen', () => work.settled());
  const done: string[] = [];
  work.start(async () => {
    await work.pause(clock, 10);
    done.push('first');
  });
  await work.settled();
  expect(done).toEqual([]);
  await clock.advance(10);
  expect(done).toEqual(['first']);
  clock.stop();
  work.start(async () => {
    await work.pause(clock, 10);
    done.push('second');
  });
  await work.settled();
  await clock.advance(10);
  expect(done).toEqual(['first']);
});

test('after close nothing is started, and nobody waits for what is under way', async () => {
  const work = new Work(() => {});
  const done: string[] = [];
  work.start(() => new Promise(() => {}));
  const settling = work.settled();
  work.close();
  await settling;
  work.start(async () => void done.push('late'));
  await work.settled();
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(done).toEqual([]);
});

test('turns are taken in the order of the callers, also by those that come while others wait', async () => {
  const turns = new Turns();
  const taken: number[] = [];
  const take = (caller: number) => turns.next().then(() => void taken.push(caller));
  const callers = Array.from({ length: 9 }, (_, caller) => take(caller));
  await callers[0];
  await Promise.all([...callers, take(9)]);
  expect(taken).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});
