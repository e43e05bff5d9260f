import type { BulkProgress, SendInput } from 'messaging-automation';
import { expect, test } from 'vitest';
import {
  clientOver,
  heldService,
  indexOf,
  leapingClock,
  memoryCheckpoint,
  refusal,
  sends,
  sent,
  settle,
  until,
} from './support.js';

/** A run of which each send takes a second, and what it tells of its progress. */
async function toldBy(inputs: (() => Iterable<SendInput>) | Iterable<SendInput>, total?: number, skip = 0) {
  let now = 0;
  const told: BulkProgress[] = [];
  const clock = { ...leapingClock(), now: () => now };
  const { transactional } = clientOver(
    async () => {
      now += 1_000;
      return sent();
    },
    { clock },
  );
  const checkpoint = memoryCheckpoint();
  if (skip > 0) await transactional.sendMany(sends(skip), { checkpoint });
  await transactional.sendMany(typeof inputs === 'function' ? inputs() : inputs, {
    concurrency: 1,
    total,
    checkpoint,
    onProgress: (progress) => told.push(progress),
  });
  return told.map(({ percent, timeLeft }) => [percent, timeLeft]);
}

function* generated() {
  yield* sends(4);
}

const ofFour = [
  [25, 3_000],
  [50, 2_000],
  [75, 1_000],
  [100, 0],
];

test.each<[string, Iterable<SendInput>]>([
  ['an array', sends(4)],
  ['a set', new Set(sends(4))],
])('percent and time left are known of %s', async (_, inputs) => {
  expect(await toldBy(inputs)).toEqual(ofFour);
});

test('percent and time left are known of any input by its total', async () => {
  expect(await toldBy(generated, 4)).toEqual(ofFour);
  expect(await toldBy(generated)).toEqual(Array.from({ length: 4 }, () => [undefined, undefined]));
});

test('what was skipped counts as behind the run, and not for its speed', async () => {
  expect(await toldBy(sends(4), undefined, 2)).toEqual([
    [75, 1_000],
    [100, 0],
  ]);
});

test('an input longer than its total stays at 100 percent', async () => {
  expect(await toldBy(generated, 2)).toEqual([
    [50, 1_000],
    [100, 0],
    [100, 0],
    [100, 0],
  ]);
});

test.each([
  ['a file', { size: 4_096 }],
  ['what only calls itself a set', { size: '4', [Symbol.toStringTag]: 'Set' }],
])('the size of %s is not taken for a total', async (_, sized) => {
  const inputs = { ...sized, [Symbol.iterator]: generated };

  expect((await toldBy(inputs))[0]).toEqual([undefined, undefined]);
});

test('items count alike, whatever became of them', async () => {
  let now = 0;
  const told: BulkProgress[] = [];
  const { transactional } = clientOver(
    async (_, init) => {
      now += 1_000;
      const index = indexOf(init);
      if (index === 1) return refusal(404, 'not_found');
      return index === 2 ? refusal(500, 'internal_error') : sent();
    },
    { clock: { ...leapingClock(), now: () => now } },
  );
  const onProgress = (progress: BulkProgress) => told.push(progress);
  const summary = await transactional.sendMany(sends(4), { concurrency: 1, onProgress });

  expect(summary).toMatchObject({ done: 2, rejected: 1, unknown: 1 });
  expect(told.map(({ percent, timeLeft }) => [percent, timeLeft])).toEqual(ofFour);
});

test.each([
  ['of a clock that never jumps, where there is one', { monotonic: true }, [3_000, 2_000, 1_000, 0]],
  ['of a clock that is set back, and is never less than none', { monotonic: false }, [0, 0, 0, 0]],
])('the time left is by the time %s', async (_, { monotonic }, timeLeft) => {
  let [steady, wall] = [0, 0];
  const clock = { ...leapingClock(), now: () => wall, ...(monotonic && { monotonic: () => steady }) };
  const told: BulkProgress[] = [];
  const { transactional } = clientOver(
    async () => {
      steady += 1_000;
      wall -= 3_600_000;
      return sent();
    },
    { clock },
  );
  await transactional.sendMany(sends(4), { concurrency: 1, onProgress: (progress) => told.push(progress) });

  expect(told.map((progress) => progress.timeLeft)).toEqual(timeLeft);
});

test('before any item has ended, nothing is known of the time', async () => {
  const { transactional } = clientOver(async () => sent());

  expect(await transactional.sendMany([])).toMatchObject({ percent: 100, timeLeft: undefined });
});

test('overall, an item under way counts as unknown only where an earlier run left it so', async () => {
  const service = heldService();
  const told: BulkProgress[] = [];
  const unknown = [[1, 2]];
  const stored = { version: 2, operation: 'transactional.send', done: [], rejected: [], unknown };
  const { transactional } = clientOver(service.fetch);
  const summary = transactional.sendMany(sends(5), {
    concurrency: 5,
    checkpoint: { ...memoryCheckpoint(), load: async () => stored },
    retryUnknown: true,
    onProgress: (progress) => told.push(progress),
  });
  await until(() => service.waiting().length === 5);
  for (const index of [0, 1, 3, 2, 4]) {
    service.answer(index, [2, 4].includes(index) ? refusal(500, 'internal_error') : sent());
    await settle();
  }
  await summary;

  expect(told.map(({ overall }) => overall)).toEqual([
    { done: 1, rejected: 0, unknown: 2 },
    { done: 2, rejected: 0, unknown: 1 },
    { done: 3, rejected: 0, unknown: 1 },
    { done: 3, rejected: 0, unknown: 1 },
    { done: 3, rejected: 0, unknown: 2 },
  ]);
});
