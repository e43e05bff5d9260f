import { expect, test } from 'vitest';
import { StateKeeper } from '../../src/cli/serve/state-keeper.js';
import { ManualClock } from '../server/support/manual-clock.js';

/** A keeper in a test's hands: its time, its state, and how its writes end. */
function keeperOf() {
  const clock = new ManualClock();
  const writes: {
    readonly text: string;
    readonly succeed: () => void;
    readonly fail: (why: string) => void;
  }[] = [];
  const complaints: string[] = [];
  let state = 'first';
  const keeper = new StateKeeper({
    read: async () => state,
    write: (text) =>
      new Promise((resolve, reject) => {
        writes.push({ text, succeed: resolve, fail: (why) => reject(new Error(why)) });
      }),
    complain: (text) => complaints.push(text),
    setTimer: (callback, delay) => clock.setTimer(callback, delay),
  });
  const change = (to: string) => {
    state = to;
    keeper.changed();
  };
  return { keeper, clock, writes, complaints, change };
}

/** Lets everything run that waits for nothing. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('changes are gathered, and written within a second, the last of them alone', async () => {
  const { clock, writes, change } = keeperOf();
  change('second');
  change('third');
  await turn();
  expect(writes).toEqual([]);
  clock.pass(999);
  await turn();
  expect(writes.map(({ text }) => text)).toEqual(['third']);
});

test('one write is under way at a time, and what changes meanwhile follows', async () => {
  const { clock, writes, change } = keeperOf();
  change('second');
  clock.pass(1_000);
  await turn();
  change('third');
  clock.pass(10_000);
  await turn();
  expect(writes).toHaveLength(1);
  writes[0]?.succeed();
  await turn();
  clock.pass(999);
  await turn();
  expect(writes.map(({ text }) => text)).toEqual(['second', 'third']);
});

test('what is as it was written is not written again, also at the end', async () => {
  const { keeper, clock, writes, change } = keeperOf();
  const writing = keeper.write();
  await turn();
  writes[0]?.succeed();
  await writing;
  change('first');
  clock.pass(1_000);
  await turn();
  expect(await keeper.close()).toBe(true);
  expect(writes).toHaveLength(1);
  expect(clock.waiting).toBe(0);
});

test('a failure is told of once, tried again every second, and its end is told of', async () => {
  const { clock, writes, complaints, change } = keeperOf();
  change('second');
  clock.pass(1_000);
  await turn();
  for (const attempt of [0, 1]) {
    writes[attempt]?.fail('ENOSPC: no space left on device');
    await turn();
    clock.pass(1_000);
    await turn();
  }
  expect(complaints).toEqual([expect.stringContaining('ENOSPC: no space left on device')]);
  expect(writes).toHaveLength(3);
  writes[2]?.succeed();
  await turn();
  expect(complaints).toEqual([expect.any(String), expect.stringContaining('is written again')]);
  expect(clock.waiting).toBe(0);
});

test('the end waits for the write under way, and writes what changed since', async () => {
  const { keeper, clock, writes, change } = keeperOf();
  change('second');
  clock.pass(1_000);
  await turn();
  change('third');
  const closing = keeper.close();
  writes[0]?.succeed();
  await expect.poll(() => writes.length).toBe(2);
  writes[1]?.succeed();
  expect(await closing).toBe(true);
  expect(writes.map(({ text }) => text)).toEqual(['second', 'third']);
  expect(clock.waiting).toBe(0);
});
