import type { BulkProgress, SendInput, SendManyOptions } from 'messaging-automation';
import { expect, test } from 'vitest';
import { ranges, sends } from './items.js';
import { refusal, sent } from './responses.js';
import { heldRun, leapingClock, memoryCheckpoint, responding } from './runs.js';

function* generated() {
  yield* sends(4);
}

/** A run of which each send takes a second, and the percent and the time left that it tells after each. */
async function toldBy(
  inputs: Iterable<SendInput>,
  options: SendManyOptions = {},
  { monotonic = false, wallStep = 1_000 } = {},
) {
  let [steady, wall] = [0, 0];
  const told: BulkProgress[] = [];
  const clock = { ...leapingClock(), now: () => wall, ...(monotonic && { monotonic: () => steady }) };
  const { sendMany } = responding(
    () => {
      steady += 1_000;
      wall += wallStep;
      return sent();
    },
    { clock },
  );
  const onProgress = (progress: BulkProgress) => told.push(progress);
  await sendMany(inputs, { concurrency: 1, ...options, onProgress });
  return told.map(({ percent, timeLeft }) => [percent, timeLeft]);
}

const ofFour = [
  [25, 3_000],
  [50, 2_000],
  [75, 1_000],
  [100, 0],
];
const unknown = Array(4).fill([undefined, undefined]);

test.each<[string, Iterable<SendInput>, number | undefined, readonly unknown[]]>([
  ['an array', sends(4), undefined, ofFour],
  ['a set', new Set(sends(4)), undefined, ofFour],
  ['a generator with its total', generated(), 4, ofFour],
  ['a generator', generated(), undefined, unknown],
  ['a file', { ...{ size: 4_096 }, [Symbol.iterator]: generated }, undefined, unknown],
  ['an input longer than its total', generated(), 2, [[50, 1_000], ...Array(3).fill([100, 0])]],
])('percent and time left of %s', async (_, inputs, total, expected) => {
  expect(await toldBy(inputs, { total })).toEqual(expected);
});

test('a wait for the lock of the checkpoint does not count for the speed', async () => {
  let steady = 0;
  const told: BulkProgress[] = [];
  const clock = { ...leapingClock(), monotonic: () => steady };
  const { sendMany } = responding(
    () => {
      steady += 1_000;
      return sent();
    },
    { clock },
  );
  const open = async () => {
    steady += 14_000;
  };
  const checkpoint = { ...memoryCheckpoint(), open };
  await sendMany(sends(2), { concurrency: 1, checkpoint, onProgress: (progress) => told.push(progress) });

  expect(told.map(({ timeLeft }) => timeLeft)).toEqual([1_000, 0]);
});

test('skipped items count for the percent, and not for the speed', async () => {
  const checkpoint = memoryCheckpoint();
  await responding(sent).sendMany(sends(2), { checkpoint });

  expect(await toldBy(sends(4), { checkpoint })).toEqual(ofFour.slice(2));
});

test.each([
  ['of a clock that never jumps, where there is one', { monotonic: true }, [3_000, 2_000, 1_000, 0]],
  ['of a clock that is set back, and is never less than none', { monotonic: false }, [0, 0, 0, 0]],
])('the time left is by the time %s', async (_, { monotonic }, timeLeft) => {
  const told = await toldBy(sends(4), {}, { monotonic, wallStep: -3_600_000 });

  expect(told.map(([, left]) => left)).toEqual(timeLeft);
});

test('overall, an item under way counts as unknown only where an earlier run left it so', async () => {
  const told: BulkProgress[] = [];
  const operation = 'transactional.send';
  const stored = { version: 2, operation, done: [], rejected: [], unknown: ranges('1-2') };
  const { service, summary } = heldRun(5, {
    concurrency: 5,
    checkpoint: { ...memoryCheckpoint(), load: async () => stored },
    retryUnknown: true,
    onProgress: (progress) => told.push(progress),
  });
  await service.holds(5);
  for (const index of [0, 1, 3, 2, 4])
    await service.response(index, () => ([2, 4].includes(index) ? refusal(500, 'internal_error') : sent()));
  await summary;

  expect(told.map(({ overall: { done, unknown: left } }) => [done, left])).toEqual([
    [1, 2],
    [2, 1],
    [3, 1],
    [3, 1],
    [3, 2],
  ]);
});
