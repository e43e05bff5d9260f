import type { BulkCheckpoint } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { settle, until } from '../../waiting.js';
import { manualClock } from '../support/clocks.js';
import {
  answering,
  ascending,
  busy,
  clientOver,
  collect,
  heldRun,
  heldService,
  indexOf,
  indices,
  leapingClock,
  memoryCheckpoint,
  page,
  phoneOf,
  refusal,
  rows,
  sends,
  sent,
  upserted,
} from './support.js';

/** A service that takes so many requests in each window of time, and turns the others away. */
function limitedService(perWindow: number, seconds: number) {
  const clock = leapingClock();
  const accepted: number[] = [];
  let turnedAway = 0;
  let windowEnds = 0;
  let left = 0;
  const { transactional } = clientOver(
    async (_, init) => {
      const now = clock.now();
      if (now >= windowEnds) {
        windowEnds = now + seconds * 1_000;
        left = perWindow;
      }
      if (left === 0) {
        turnedAway += 1;
        return busy(String(Math.ceil((windowEnds - now) / 1_000)));
      }
      left -= 1;
      accepted.push(indexOf(init));
      return sent();
    },
    { clock },
  );
  return { transactional, accepted, turnedAway: () => turnedAway };
}

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
  test.each([
    ['45 seconds, longer than the deadline of a call', 100, 45],
    ['bursts of 3 seconds', 20, 3],
  ])('with Retry-After loses no item: %s', async (_, perWindow, seconds) => {
    const { transactional, accepted, turnedAway } = limitedService(perWindow, seconds);
    const summary = await transactional.sendMany(sends(500));

    expect(summary).toMatchObject({ done: 500, rejected: 0, unknown: 0, stoppedBecause: undefined });
    expect(ascending(accepted)).toEqual(indices(500));
    // At each end of a window no more are turned away than go out at once.
    expect(turnedAway()).toBeLessThanOrEqual((500 / perWindow) * 8);
  });

  test('stops all for as long as it says, and goes on with half as many at once', async () => {
    const { service, summary, advance } = heldRun(30, { concurrency: 8 }, { random: () => 0.5 });
    await service.holds(8);
    await service.answer(3, () => busy('45'));
    await service.answer(0); // makes room for another, which waits as all do
    expect(service.waiting()).toEqual([1, 2, 4, 5, 6, 7]);
    await service.answer(service.waiting());
    expect(service.waiting()).toEqual([]);

    await advance(45_000); // and by chance up to a second later
    expect(service.waiting()).toEqual([]);
    await advance(500);
    expect(service.waiting()).toEqual([3, 8, 9, 10]);
    expect(await service.finish(summary)).toMatchObject({ done: 30 });
  });

  test('halves the calls at once, however many got through before', async () => {
    const { service, summary, advance } = heldRun(60, { concurrency: 4 });
    await service.holds(4);
    for (const index of indices(40)) await service.answer(index);
    await service.answer(40, () => busy('1'));
    await service.answer([41, 42, 43]);
    await advance(1_000);

    expect(service.waiting()).toEqual([40, 44]);
    expect(await service.finish(summary)).toMatchObject({ done: 60 });
  });

  test('of several calls at once counts once, and the longest wait counts', async () => {
    const { service, summary, advance } = heldRun(8, { concurrency: 4, patience: 20_000 });
    await service.holds(4);
    await service.answer(0, () => busy('10'));
    await service.answer(1, () => busy());
    await service.answer(2, () => busy('20'));
    await service.answer(3, () => busy('5'));
    await advance(19_999);
    expect(service.waiting()).toEqual([]);
    await advance(1);
    expect(service.waiting()).toHaveLength(2);
    expect(await service.finish(summary)).toMatchObject({ done: 8, stoppedBecause: undefined });
  });

  test('lets the item that met it go first afterwards, before those that never went out', async () => {
    const { service, summary, advance } = heldRun(8, { concurrency: 4 });
    await service.holds(4);
    await service.answer(0, () => busy('1'));
    await service.answer([1, 2, 3]);
    await advance(1_000);
    expect(service.waiting()).toEqual([0, 4]); // 5 and 6 wait for a permit
    await service.answer(4, () => busy('1'));
    await service.answer(0);
    await advance(1_000);
    expect(service.waiting()).toEqual([4]);
    expect(await service.finish(summary)).toMatchObject({ done: 8 });
  });

  test('without Retry-After that comes during a pause makes it no longer', async () => {
    const { service, summary, advance } = heldRun(2, { concurrency: 2 });
    await service.holds(2);
    await service.answer(0, () => busy());
    await advance(600);
    await service.answer(1, () => busy());
    await advance(399);
    expect(service.waiting()).toEqual([]);
    await advance(1);
    expect(service.waiting()).toHaveLength(1);
    expect(await service.finish(summary)).toMatchObject({ done: 2 });
  });

  test('is forgotten as calls get through: the concurrency grows to what it was', async () => {
    const { service, summary, advance } = heldRun(100, { concurrency: 8 });
    await service.holds(8);
    await service.answer(service.waiting(), () => busy('1'));
    await advance(1_000);
    expect(service.waiting()).toHaveLength(4);
    for (const _ of indices(30)) await service.answer(service.waiting().slice(0, 1));
    expect(service.waiting()).toHaveLength(8);
    expect(await service.finish(summary)).toMatchObject({ done: 100 });
  });

  test.each([
    [0, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]],
    [0.5, [750, 1_500, 3_000, 6_000, 12_000, 24_000, 45_000, 45_000]],
  ])(
    'without Retry-After waits twice as long each time, up to a minute (random %d)',
    async (random, waits) => {
      const clock = leapingClock();
      const service = answering((_, number) => (number <= 8 ? busy() : sent()), {
        clock,
        random: () => random,
      });

      expect(await service.sendMany(sends(3), { concurrency: 1 })).toMatchObject({ done: 3 });
      expect(clock.waits).toEqual(waits);
      expect(service.requests).toHaveLength(11);
    },
  );

  test.each<[string, string, () => Response, number]>([
    ['a send that gets through', phoneOf(1), sent, 1_000],
    ['an error of the service about an item', phoneOf(1), () => refusal(404, 'not_found'), 1_000],
    ['a page of a gateway', phoneOf(1), () => page(400), 2_000],
    ['an item that the client itself refuses', 'nonsense', sent, 2_000],
  ])('is waited for anew after %s only if that came from the service', async (_, phone, answer, wait) => {
    const { inputs, more } = twoItems(phone);
    const { service, summary, advance } = heldRun(inputs, { concurrency: 4 });
    await service.holds(1);
    await service.answer(0, () => busy());
    more();
    await advance(1_000);
    if (phone !== 'nonsense') await service.answer(1, answer);
    await service.answer(0, () => busy());
    await advance(wait - 1);
    expect(service.waiting()).toEqual([]);
    await advance(1);
    expect(service.waiting()).toEqual([0]);
    await service.finish(summary);
  });

  test.each([
    ['0', 0, 1_000],
    ['0', 0.9, 1_000],
    ['4', 0.5, 4_200],
    ['40', 0.5, 40_500],
    [new Date(Date.UTC(2026, 0, 1, 0, 0, 10)).toUTCString(), 0, 10_000],
    [new Date(Date.UTC(2020, 0, 1)).toUTCString(), 0.9, 1_000],
  ])('with Retry-After: %s and random %d waits %d ms', async (retryAfter, random, wait) => {
    const clock = leapingClock();
    const options = { clock, random: () => random };
    const { sendMany } = answering((_, number) => (number === 1 ? busy(retryAfter) : sent()), options);
    await sendMany(sends(2), { concurrency: 1 });

    expect(clock.waits).toEqual([wait]);
  });

  test('pauses its own run only, not another run of the same client', async () => {
    const clock = manualClock();
    const service = heldService();
    const { transactional } = clientOver(service.fetch, { clock, random: () => 0 });
    const paused = transactional.sendMany(sends(2).slice(0, 1));
    const other = transactional.sendMany(sends(3).slice(1), { concurrency: 1 });
    await service.holds(2);
    await service.answer(0, () => busy('45'));
    await service.answer(1);
    expect(service.waiting()).toEqual([2]);
    await service.answer(2);
    expect(await other).toMatchObject({ done: 2 });
    clock.advance(45_000);
    expect(await service.finish(paused)).toMatchObject({ done: 1 });
  });
});

describe('patience', () => {
  test('ends after ten minutes in which nothing gets through, and loses no item', async () => {
    const clock = leapingClock();
    const checkpoint = memoryCheckpoint();
    const { sendMany, requests } = answering(() => busy('59'), { clock, random: () => 0 });
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

  test('does not begin a wait that is longer than it', async () => {
    const clock = leapingClock();
    const { sendMany } = answering(() => busy('3600'), { clock });
    const { stoppedBecause } = await sendMany(sends(100), { concurrency: 1 });

    expect(stoppedBecause).toMatchObject({ reason: 'rate_limited', index: 0 });
    expect(clock.waits).toEqual([]);
  });

  test('is an option, to the millisecond', async () => {
    const run = (patience: number) =>
      answering((_, number) => (number <= 2 ? busy('10') : sent()), {
        random: () => 0,
      }).sendMany(sends(1), { patience });

    expect(await run(20_000)).toMatchObject({ done: 1 });
    expect(await run(19_999)).toMatchObject({ done: 0, stoppedBecause: { reason: 'rate_limited' } });
    expect(await run(Number.POSITIVE_INFINITY)).toMatchObject({ done: 1 });
  });

  test('does not end because somebody sets the clock of the machine', async () => {
    const steady = manualClock();
    let wall = steady.now();
    const clock = { ...steady, monotonic: steady.now, now: () => wall };
    const { service, summary } = heldRun(2, { concurrency: 2, patience: 60_000 }, { clock });
    await service.holds(2);
    await service.answer(0, () => busy('10'));
    wall += 3_600_000;
    await service.answer(1, () => busy('20'));
    steady.advance(20_000);

    expect(await service.finish(summary)).toMatchObject({ done: 2, stoppedBecause: undefined });
  });

  test('starts anew with each item that gets through', async () => {
    const { transactional } = limitedService(10, 50);

    expect(await transactional.sendMany(sends(100), { patience: 51_000 })).toMatchObject({ done: 100 });
  });
});

describe('Retry-After of another status', () => {
  const failing = (status: number) => refusal(status, 'unavailable', { 'retry-after': '20' });

  test.each([
    [503, [20_000]],
    [500, []],
  ])('%d: all sends wait %j, and the one that met it stays unknown', async (status, waits) => {
    const clock = leapingClock();
    const options = { clock, random: () => 0 };
    const { sendMany } = answering((index) => (index === 0 ? failing(status) : sent()), options);

    expect(await sendMany(sends(9), { concurrency: 1 })).toMatchObject({ done: 8, unknown: 1 });
    expect(clock.waits).toEqual(waits);
  });

  test('503: all upserts wait, and none is lost', async () => {
    const clock = leapingClock();
    const options = { clock, random: () => 0 };
    const { upsertMany } = answering((_, number) => (number === 1 ? failing(503) : upserted()), options);
    const summary = await upsertMany(rows(9), { concurrency: 1, retries: 0 });

    expect(summary).toMatchObject({ done: 9, unknown: 0 });
    expect(clock.waits).toEqual([20_000]);
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
  await service.answer(0, () => busy('10'));
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
    const { sendMany } = answering(fails, { clock, random: () => 0 });
    await sendMany(sends(100), { concurrency: 1, stopAfter: 9 });

    // Two failures are no outage yet, and the last stops the run.
    expect(clock.waits).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  test('lets one go out when its wait is over, and more as they get through', async () => {
    const { service, summary, advance } = heldRun(20, { concurrency: 4 });
    await service.holds(4);
    for (const index of [0, 1, 2]) await service.answer(index, fails);
    await service.answer(3);
    expect(service.waiting()).toEqual([4, 5]);
    await service.answer([4, 5]);
    await advance(4_999);
    expect(service.waiting()).toEqual([]);
    await advance(1);
    expect(service.waiting()).toEqual([6]);
    await service.answer(6);
    expect(service.waiting()).toEqual([7, 8]);
    await service.answer([7, 8]);
    expect(service.waiting()).toEqual([9, 10]); // each adds its part of one: two and a half, almost three
    await service.answer([9, 10]);
    expect(service.waiting()).toEqual([11, 12, 13]);
    expect(await service.finish(summary)).toMatchObject({ done: 17, unknown: 3 });
  });

  test('that outlasts the patience stops the run', async () => {
    const { sendMany } = answering(fails, { random: () => 0 });
    const options = { concurrency: 1, patience: 5_000 };
    const { unknown, stoppedBecause } = await sendMany(sends(100), options);

    expect(stoppedBecause).toMatchObject({ reason: 'service_unavailable', index: 3 });
    expect(unknown).toBe(4);
  });
});

describe('aborting while sends wait on Retry-After', () => {
  test('sends none of them, tells their error, and leaves them open', async () => {
    const clock = manualClock();
    const checkpoint = memoryCheckpoint();
    const controller = new AbortController();
    const { signal } = controller;
    const service = heldService();
    const { transactional } = clientOver(service.fetch, { clock });
    const outcomes = collect(transactional.sendEach(sends(100), { checkpoint, signal, concurrency: 8 }));
    await service.holds(8);
    await service.answer(service.waiting(), () => busy('4'));
    controller.abort();

    expect(await outcomes).toMatchObject(
      Array.from({ length: 8 }, () => ({ status: 'rejected', error: { name: 'RateLimitError' } })),
    );
    clock.advance(3_600_000);
    await settle();
    expect(service.waiting()).toEqual([]);
    expect(clock.timers()).toBe(0);
    expect(checkpoint.saved()).toMatchObject({ done: [], rejected: [], unknown: [] });
  });

  test('leaves an item unknown that an earlier run left so, beside one that is rejected', async () => {
    const stored = { version: 2, operation: 'transactional.send', done: [], rejected: [], unknown: [[0, 0]] };
    const checkpoint = { ...memoryCheckpoint(), load: async () => stored };
    const controller = new AbortController();
    const service = heldService();
    const options = { checkpoint, signal: controller.signal, retryUnknown: true };
    const { transactional } = clientOver(service.fetch, { clock: manualClock() });
    const outcomes = collect(transactional.sendEach(sends(2), options));
    await service.holds(2);
    await service.answer([0, 1], () => busy('4'));
    controller.abort();

    const statuses = (await outcomes).map(({ index, status }) => `${index} ${status}`);
    expect(statuses.sort()).toEqual(['0 unknown', '1 rejected']);
  });

  test('lets requests under way end, and sends nothing that waits for a permit', async () => {
    const controller = new AbortController();
    const { clock, service, summary } = heldRun(100, { signal: controller.signal, concurrency: 3 });
    await service.holds(3);
    await service.answer(1, () => busy('4'));
    controller.abort();
    await service.answer(0);
    await service.answer(2, () => busy('8'));

    expect(await summary).toMatchObject({ done: 1, rejected: 2, stoppedBecause: { reason: 'aborted' } });
    expect(clock.timers()).toBe(0);
    expect(service.waiting()).toEqual([]);
  });

  test('ends upserts that wait between the attempts of their call', async () => {
    const clock = manualClock();
    const controller = new AbortController();
    const { signal } = controller;
    const { upsertMany, requests } = answering(() => refusal(500, 'internal_error'), { clock });
    const summary = upsertMany(rows(100), { signal, concurrency: 2 });
    await until('two requests', () => requests.length === 2);
    await settle();
    controller.abort();

    expect(await summary).toMatchObject({ done: 0, unknown: 2, stoppedBecause: { reason: 'aborted' } });
    expect(requests).toHaveLength(2);
    expect(clock.timers()).toBe(0);
  });
});
