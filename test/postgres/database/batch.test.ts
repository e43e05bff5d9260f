import { expect, test } from 'vitest';
import { Batch, Failure } from '../../../src/postgres/database/batch.js';
import { translated } from '../../../src/postgres/database/lost-connection.js';
import { StoreUnavailableError } from '../../../src/server/model/service-error.js';

test('calls of one turn go together, and each gets its own output', async () => {
  const runs: number[][] = [];
  const batch = new Batch<number, number>(async (inputs) => {
    runs.push([...inputs]);
    return inputs.map((input) => input * 2);
  });
  expect(await Promise.all([1, 2, 3].map((input) => batch.add(input)))).toEqual([2, 4, 6]);
  expect(await batch.add(4)).toBe(8);
  expect(runs).toEqual([[1, 2, 3], [4]]);
});

test('calls that come while a query is under way wait for it, and then go together', async () => {
  const runs: number[][] = [];
  const landings: (() => void)[] = [];
  let arrived = () => {};
  const batch = new Batch<number, number>(async (inputs) => {
    runs.push([...inputs]);
    arrived();
    await new Promise<void>((resolve) => landings.push(resolve));
    return inputs;
  });
  const started = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const first = batch.add(1);
  await started;
  const others = [batch.add(2), batch.add(3)];
  // Whoever was answered adds to the next before it goes.
  const fourth = first.then(() => batch.add(4));
  const secondStarted = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  landings[0]?.();
  await secondStarted;
  landings[1]?.();
  expect(await Promise.all([first, ...others, fourth])).toEqual([1, 2, 3, 4]);
  expect(runs).toEqual([[1], [2, 3, 4]]);
});

test('a thousand calls at most go together', async () => {
  const sizes: number[] = [];
  const batch = new Batch<number, number>(async (inputs) => {
    sizes.push(inputs.length);
    return inputs;
  });
  await Promise.all(Array.from({ length: 2_500 }, (_, input) => batch.add(input)));
  expect(sizes).toEqual([1_000, 1_000, 500]);
});

test('a bad input fails alone', async () => {
  const batch = new Batch<number, number>(async (inputs) => {
    if (inputs.includes(13)) throw new Error('13 is bad.');
    return inputs.map((input) => (input === 7 ? new Failure(new Error('7 fails by itself.')) : input));
  });
  const outcomes = await Promise.allSettled([1, 13, 7, 3].map((input) => batch.add(input)));
  expect(outcomes).toMatchObject([
    { value: 1 },
    { reason: { message: '13 is bad.' } },
    { reason: { message: '7 fails by itself.' } },
    { value: 3 },
  ]);
});

test('a lost connection fails all calls of the query, once, and the next go on', async () => {
  let runs = 0;
  const batch = new Batch<number, number>(async (inputs) => {
    runs += 1;
    if (runs === 1) throw new StoreUnavailableError();
    return inputs;
  });
  const outcomes = await Promise.allSettled([1, 2].map((input) => batch.add(input)));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await batch.add(3)).toBe(3);
  expect(runs).toBe(2);
});

test.each([
  ['40P01', ['fulfilled', 'fulfilled'], 3],
  ['57014', ['rejected', 'rejected'], 1],
])('calls that end with %s together are each tried alone if that can help', async (code, outcomes, tries) => {
  let runs = 0;
  const batch = new Batch<number, number>(async (inputs) => {
    runs += 1;
    if (runs === 1) throw translated({ code });
    return inputs;
  });
  const settled = await Promise.allSettled([1, 2].map((input) => batch.add(input)));
  expect(settled.map(({ status }) => status)).toEqual(outcomes);
  expect(runs).toBe(tries);
});

test('an answer that is missing is an error of each call', async () => {
  const batch = new Batch<number, number>(async () => []);
  await expect(batch.add(1)).rejects.toThrow('did not answer each');
});
