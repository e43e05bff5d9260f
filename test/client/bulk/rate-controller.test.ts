import type { BulkCheckpoint } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { settle, until } from '../../waiting.js';
import { manualClock } from '../support/clocks.js';
import { indices, phoneOf, rows, sends } from './items.js';
import { busy, refusal, sent, upserted } from './responses.js';
import {
  clientOver,
  collect,
  heldRun,
  heldService,
  leapingClock,
  memoryCheckpoint,
  responding,
} from './runs.js';

/** One send, and a second item that comes when the test asks for it. */
function twoItems(second = phoneOf(1)) {
  let more = () => {};
  async function* inputs() {
    yield* sends(1);
    await new Promise<void>((resolve) => {
      more = resolve;
    });
    yield { phone: second, templateId: 'welcome' };
  }
  return { inputs: inputs(), more: () => more() };
}

describe('a 429', () => {
  test('stops all for as long as it says, and goes on with half as many at once', async () => {
    const { service, summary, advance } = heldRun(30, { concurrency: 8 }, { random: () => 0.5 });
    await service.holds(8);
    await service.response(3, () => busy('45'));
    await service.response(0); // makes room for another, which waits as all do
    expect(service.waiting()).toEqual([1, 2, 4, 5, 6, 7]);
    await service.response(service.waiting());
    expect(service.waiting()).toEqual([]);

    await advance(45_000); // and by chance up to a second later
    expect(service.waiting()).toEqual([]);
    await advance(500);
    expect(service.waiting()).toEqual([3, 8, 9, 10]);
    expect(await service.finish(summary)).toMatchObject({ done: 30 });
  });

  test('of several calls at once counts once, and the longest wait counts', async () => {
    const { service, summary, advance } = heldRun(8, { concurrency: 4, maxRateLimitWait: 20_000 });
    await service.holds(4);
    await service.response(0, () => busy('10'));
    await service.response(1, () => busy());
    await service.response(2, () => busy('20'));
    await service.response(3, () => busy('5'));
    await advance(19_999);
    expect(service.waiting()).toEqual([]);
    await advance(1);
    expect(service.waiting()).toHaveLength(2);
    expect(await service.finish(summary)).toMatchObject({ done: 8, stoppedBecause: undefined });
  });

  test('is forgotten as calls get through: the concurrency grows to what it was', async () => {
    const { service, summary, advance } = heldRun(100, { concurrency: 8 });
    await service.holds(8);
    await service.response(service.waiting(), () => busy('1'));
    await advance(1_000);
    expect(service.waiting()).toHaveLength(4);
    for (const _ of indices(30)) await service.response(service.waiting().slice(0, 1));
    expect(service.waiting()).toHaveLength(8);
    expect(await service.finish(summary)).toMatchObject({ done: 100 });
  });

  test.each<[string, readonly (string | undefined)[], random: number, waits: readonly number[]]>([
    ['without Retry-After', Array(8).fill(undefined), 0, [1, 2, 4, 8, 16, 32, 60, 60]],
    ['without Retry-After', Array(8).fill(undefined), 0.5, [0.75, 1.5, 3, 6, 12, 24, 45, 45]],
    ['with Retry-After: 0', ['0'], 0, [1]],
    ['with Retry-After: 4', ['4'], 0.5, [4.2]],
    ['with a date in Retry-After', ['Thu, 01 Jan 2026 00:00:10 GMT'], 0, [10]],
  ])(
    '%s waits as long as it should: %j, random %d, in seconds %j',
    async (_, retryAfters, random, seconds) => {
      const clock = leapingClock();
      const left = [...retryAfters];
      const { sendMany, requests } = responding(() => (left.length > 0 ? busy(left.shift()) : sent()), {
        clock,
        random: () => random,
      });

      expect(await sendMany(sends(3), { concurrency: 1 })).toMatchObject({ done: 3 });
      expect(clock.waits).toEqual(seconds.map((each) => each * 1_000));
      expect(requests).toHaveLength(3 + retryAfters.length);
    },
  );

  test('makes the wait no longer where an item got through since the last', async () => {
    const clock = leapingClock();
    const response = (_: number, number: number) => (number % 2 === 1 ? busy() : sent());
    await responding(response, { clock, random: () => 0 }).sendMany(sends(2), { concurrency: 1 });

    expect(clock.waits).toEqual([1_000, 1_000]);
  });
});

describe('maxRateLimitWait', () => {
  test('ends after ten minutes in which nothing gets through, and loses no item', async () => {
    const clock = leapingClock();
    const { checkpoint, sendMany, requests } = responding(() => busy('59'), { clock, random: () => 0 });
    const summary = await sendMany(sends(100), { checkpoint });

    expect(summary).toMatchObject({
      done: 0,
      unknown: 0,
      stoppedBecause: { reason: 'rate_limited', error: { name: 'RateLimitError', retryAfter: 59_000 } },
    });
    expect(clock.waits).toEqual(Array.from({ length: 10 }, () => 59_000));
    expect(requests.length).toBeLessThan(8 + 4 + 2 + 9);
    expect(checkpoint.saved()).toMatchObject({ done: [], rejected: [], unknown: [] });
  });

  test('is an option, to the millisecond', async () => {
    const twiceBusy = (_: number, number: number) => (number <= 2 ? busy('10') : sent());
    const run = (maxRateLimitWait: number) =>
      responding(twiceBusy, { random: () => 0 }).sendMany(sends(1), { maxRateLimitWait });

    expect(await run(20_000)).toMatchObject({ done: 1 });
    expect(await run(19_999)).toMatchObject({ done: 0, stoppedBecause: { reason: 'rate_limited' } });
    expect(await run(Number.POSITIVE_INFINITY)).toMatchObject({ done: 1 });
  });

  test('does not end because somebody sets the clock of the machine', async () => {
    const steady = manualClock();
    let wall = steady.now();
    const clock = { ...steady, monotonic: steady.now, now: () => wall };
    const { service, summary } = heldRun(2, { concurrency: 2, maxRateLimitWait: 60_000 }, { clock });
    await service.holds(2);
    await service.response(0, () => busy('10'));
    wall += 3_600_000;
    await service.response(1, () => busy('20'));
    steady.advance(20_000);

    expect(await service.finish(summary)).toMatchObject({ done: 2, stoppedBecause: undefined });
  });

  test('starts anew with each item that gets through', async () => {
    const response = (_: number, number: number) => (number % 2 === 1 ? busy('50') : sent());
    const { sendMany } = responding(response, { random: () => 0 });

    expect(await sendMany(sends(10), { concurrency: 1, maxRateLimitWait: 51_000 })).toMatchObject({
      done: 10,
    });
  });
});

describe('Retry-After of another status', () => {
  test.each([
    ['sends', 503, [20_000], { done: 8, unknown: 1 }],
    ['sends', 500, [], { done: 8, unknown: 1 }],
    ['upserts', 503, [20_000], { done: 9, unknown: 0 }],
  ])('has all %s wait after a %d for %j, and counts none as lost', async (kind, status, waits, counts) => {
    const clock = leapingClock();
    const { sendMany, upsertMany } = responding(
      (_, number) => {
        if (number === 1) return refusal(status, 'unavailable', { 'retry-after': '20' });
        return kind === 'sends' ? sent() : upserted();
      },
      { clock, random: () => 0 },
    );
    const options = { concurrency: 1, retries: 0 };

    expect(
      await (kind === 'sends' ? sendMany(sends(9), options) : upsertMany(rows(9), options)),
    ).toMatchObject(counts);
    expect(clock.waits).toEqual(waits);
  });
});

test('an item that is being recorded when a pause begins waits too, and is recorded as not begun', async () => {
  const memory = memoryCheckpoint();
  const held: (() => void)[] = [];
  let holding = false;
  const checkpoint = {
    ...memory,
    async save(given: BulkCheckpoint) {
      await memory.save(given);
      if (holding) await new Promise<void>((resolve) => held.push(resolve));
    },
  };
  const { inputs, more } = twoItems();
  const { service, summary, advance } = heldRun(inputs, { checkpoint, concurrency: 4 });
  await service.holds(1);
  holding = true;
  more();
  await until('the second item to be recorded', () => held.length > 0);
  expect(memory.saved()).toMatchObject({ unknown: [[0, 1]] });
  await service.response(0, () => busy('10'));
  holding = false;
  held[0]?.();
  await settle();
  expect(service.waiting()).toEqual([]);
  expect(memory.saved()).toMatchObject({ done: [], rejected: [], unknown: [] });

  await advance(10_000);
  expect(service.waiting()).toEqual([0, 1]);
  expect(await service.finish(summary)).toMatchObject({ done: 2 });
});

describe('an outage', () => {
  const fails = () => refusal(500, 'internal_error');

  test('makes all wait longer and longer, and one at a time try whether it is over', async () => {
    const clock = leapingClock();
    const { sendMany } = responding(fails, { clock, random: () => 0 });
    await sendMany(sends(100), { concurrency: 1, maxConsecutiveFailures: 9 });

    // Two failures are no outage yet, and the last stops the run.
    expect(clock.waits).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  test('lets one item at a time go out when its wait is over', async () => {
    const { service, summary, advance } = heldRun(20, { concurrency: 4 });
    await service.holds(4);
    for (const index of [0, 1, 2]) await service.response(index, fails);
    await service.response([3, 4, 5]);
    await advance(5_000);
    expect(service.waiting()).toEqual([6]);
    expect(await service.finish(summary)).toMatchObject({ done: 17, unknown: 3 });
  });

  test('that outlasts maxRateLimitWait stops the run', async () => {
    const { sendMany } = responding(fails, { random: () => 0 });
    const options = { concurrency: 1, maxRateLimitWait: 5_000 };
    const { unknown, stoppedBecause } = await sendMany(sends(100), options);

    expect(stoppedBecause).toMatchObject({ reason: 'service_unavailable', index: 3 });
    expect(unknown).toBe(4);
  });
});

test('aborting while sends wait on Retry-After sends none of them, tells their error, and leaves them as they were', async () => {
  const operation = 'transactional.send';
  const stored = { version: 3, operation, done: [], rejected: [], unknown: [[0, 0]], keyed: [] };
  const clock = manualClock();
  const memory = memoryCheckpoint();
  const checkpoint = { ...memory, load: async () => stored };
  const controller = new AbortController();
  const service = heldService();
  const { transactional } = clientOver(service.fetch, { clock });
  const options = { checkpoint, signal: controller.signal, retryUnknown: true, concurrency: 3 };
  const outcomes = collect(transactional.sendEach(sends(100), options));
  await service.holds(3);
  await service.response([0, 1, 2], () => busy('4'));
  controller.abort();

  const error = expect.objectContaining({ name: 'RateLimitError' });
  expect((await outcomes).sort((one, other) => one.index - other.index)).toMatchObject([
    { index: 0, status: 'unknown', error },
    { index: 1, status: 'rejected', error },
    { index: 2, status: 'rejected', error },
  ]);
  clock.advance(3_600_000);
  await settle();
  expect(service.waiting()).toEqual([]);
  expect(clock.timers()).toBe(0);
  expect(memory.saved()).toEqual(stored);
});
