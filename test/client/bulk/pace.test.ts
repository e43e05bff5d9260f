import type { BulkCheckpoint } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../support/clocks.js';
import {
  clientOver,
  collect,
  heldService,
  indexOf,
  leapingClock,
  memoryCheckpoint,
  phoneOf,
  refusal,
  sends,
  sent,
  settle,
  until,
} from './support.js';

const busy = (retryAfter?: string) =>
  Response.json(
    { error: { code: 'rate_limited', message: 'No.' } },
    { status: 429, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } },
  );

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

describe('a 429', () => {
  test.each([
    ['45 seconds, longer than the deadline of a call', 100, 45],
    ['bursts of 3 seconds', 20, 3],
  ])('with Retry-After loses no item: %s', async (_, perWindow, seconds) => {
    const { transactional, accepted, turnedAway } = limitedService(perWindow, seconds);
    const summary = await transactional.sendMany(sends(500));

    expect(summary).toMatchObject({ done: 500, rejected: 0, unknown: 0, stoppedBecause: undefined });
    expect([...accepted].sort((a, b) => a - b)).toEqual(sends(500).map((_, index) => index));
    // At each end of a window no more are turned away than go out at once.
    expect(turnedAway()).toBeLessThanOrEqual((500 / perWindow) * 8);
  });

  test('stops all for as long as it says, and goes on with half as many at once', async () => {
    const clock = manualClock();
    const service = heldService();
    const summary = clientOver(service.fetch, { clock, random: () => 0.5 }).transactional.sendMany(
      sends(30),
      {
        concurrency: 8,
      },
    );
    await until(() => service.waiting().length === 8);
    service.answer(3, busy('45'));
    await settle();
    service.answer(0); // makes room for another, which waits as all do
    await settle();
    expect(service.waiting()).toEqual([1, 2, 4, 5, 6, 7]);
    for (const index of service.waiting()) service.answer(index);
    await settle();
    expect(service.waiting()).toEqual([]);

    clock.advance(45_000); // and by chance up to a second later
    await settle();
    expect(service.waiting()).toEqual([]);
    clock.advance(500);
    await until(() => service.waiting().length === 4);
    await settle();
    expect(service.waiting()).toEqual([3, 8, 9, 10]);

    while (service.waiting().length > 0) {
      for (const index of service.waiting()) service.answer(index);
      await settle();
    }
    expect(await summary).toMatchObject({ done: 30 });
  });

  test('halves the calls at once, however many got through before', async () => {
    const clock = manualClock();
    const service = heldService();
    const summary = clientOver(service.fetch, { clock }).transactional.sendMany(sends(60), {
      concurrency: 4,
    });
    for (let index = 0; index < 40; index += 1) {
      await until(() => service.waiting().includes(index));
      service.answer(index);
    }
    await until(() => service.waiting().length === 4);
    service.answer(40, busy('1'));
    for (const index of [41, 42, 43]) service.answer(index);
    await settle();
    clock.advance(2_000);
    await settle();
    expect(service.waiting()).toEqual([40, 44]);

    while (service.waiting().length > 0) {
      for (const index of service.waiting()) service.answer(index);
      await settle();
    }
    expect(await summary).toMatchObject({ done: 60 });
  });

  test('of several calls at once counts once, and the longest wait counts', async () => {
    const clock = manualClock();
    const service = heldService();
    const summary = clientOver(service.fetch, { clock, random: () => 0 }).transactional.sendMany(sends(8), {
      concurrency: 4,
    });
    await until(() => service.waiting().length === 4);
    service.answer(0, busy('10'));
    service.answer(1, busy());
    service.answer(2, busy('20'));
    service.answer(3, busy('5'));
    await settle();
    clock.advance(19_999);
    await settle();
    expect(service.waiting()).toEqual([]);
    clock.advance(1);
    await until(() => service.waiting().length === 2);
    await settle();
    expect(service.waiting()).toHaveLength(2);

    while (service.waiting().length > 0) {
      for (const index of service.waiting()) service.answer(index);
      await settle();
    }
    expect(await summary).toMatchObject({ done: 8 });
  });

  test('lets the item that met it go first afterwards, before those that never went out', async () => {
    const clock = manualClock();
    const service = heldService();
    const summary = clientOver(service.fetch, { clock, random: () => 0 }).transactional.sendMany(sends(8), {
      concurrency: 4,
    });
    await until(() => service.waiting().length === 4);
    service.answer(0, busy('1'));
    for (const index of [1, 2, 3]) service.answer(index);
    await settle();
    clock.advance(1_000);
    await settle();
    expect(service.waiting()).toEqual([0, 4]); // and 5 and 6 wait for a turn
    service.answer(4, busy('1'));
    service.answer(0);
    await settle();
    clock.advance(1_000);
    await settle();
    expect(service.waiting()).toEqual([4]);

    while (service.waiting().length > 0) {
      for (const index of service.waiting()) service.answer(index);
      await settle();
    }
    expect(await summary).toMatchObject({ done: 8 });
  });

  test('that says nothing of when, and comes during a pause, makes it no longer', async () => {
    const clock = manualClock();
    const service = heldService();
    const summary = clientOver(service.fetch, { clock, random: () => 0 }).transactional.sendMany(sends(2), {
      concurrency: 2,
    });
    await until(() => service.waiting().length === 2);
    service.answer(0, busy());
    await settle();
    clock.advance(600);
    service.answer(1, busy());
    await settle();
    clock.advance(399);
    await settle();
    expect(service.waiting()).toEqual([]);
    clock.advance(1);
    await settle();
    expect(service.waiting()).toHaveLength(1);

    while (service.waiting().length > 0) {
      for (const index of service.waiting()) service.answer(index);
      await settle();
    }
    expect(await summary).toMatchObject({ done: 2 });
  });

  test('comes to more at once again, as calls get through', async () => {
    let requests = 0;
    let atOnce = 0;
    let most = 0;
    const { transactional } = clientOver(async () => {
      requests += 1;
      if (requests <= 8) {
        await until(() => requests >= 8); // all of them, before the first makes the others wait
        return busy('1');
      }
      atOnce += 1;
      most = Math.max(most, atOnce);
      await settle();
      atOnce -= 1;
      return sent();
    });
    await transactional.sendMany(sends(8), { concurrency: 8 });
    expect(most).toBe(4);
    most = 0;
    requests = 0;
    await transactional.sendMany(sends(100), { concurrency: 8 });
    expect(most).toBe(8);
  });

  test.each([
    [0, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]],
    [0.5, [750, 1_500, 3_000, 6_000, 12_000, 24_000, 45_000, 45_000]],
  ])(
    'without Retry-After is waited for twice as long each time, up to a minute (chance %d)',
    async (random, waits) => {
      const clock = leapingClock();
      let requests = 0;
      const { transactional } = clientOver(
        async () => {
          requests += 1;
          return requests <= 8 ? busy() : sent();
        },
        { clock, random: () => random },
      );

      expect(await transactional.sendMany(sends(3), { concurrency: 1 })).toMatchObject({ done: 3 });
      expect(clock.waits).toEqual(waits);
      expect(requests).toBe(11);
    },
  );

  test.each<[string, string, () => Response, number]>([
    ['a send that gets through', phoneOf(1), sent, 1_000],
    ["the service's own word on an item", phoneOf(1), () => refusal(404, 'not_found'), 1_000],
    ['a page of something between', phoneOf(1), () => new Response('<html></html>', { status: 400 }), 2_000],
    ['an item that the client itself refuses', 'nonsense', sent, 2_000],
  ])('is waited for anew after %s only if that came from the service', async (_, phone, answer, wait) => {
    const clock = manualClock();
    const service = heldService();
    let more = () => {};
    async function* inputs() {
      yield* sends(1);
      await new Promise<void>((resolve) => {
        more = resolve;
      });
      yield { phone, templateId: 'welcome' };
    }
    const summary = clientOver(service.fetch, { clock, random: () => 0 }).transactional.sendMany(inputs(), {
      concurrency: 4,
    });
    await until(() => service.waiting().length === 1);
    service.answer(0, busy());
    await settle();
    more();
    await settle();
    clock.advance(1_000);
    await settle();
    service.answer(1, answer());
    await settle();
    service.answer(0, busy());
    await settle();
    clock.advance(wait - 1);
    await settle();
    expect(service.waiting()).toEqual([]);
    clock.advance(1);
    await settle();
    expect(service.waiting()).toEqual([0]);
    service.answer(0);
    await summary;
  });

  test.each([
    ['0', 0, 1_000],
    ['0', 0.9, 1_000],
    ['4', 0.5, 4_200],
    ['40', 0.5, 40_500],
    [new Date(Date.UTC(2026, 0, 1, 0, 0, 10)).toUTCString(), 0, 10_000],
    [new Date(Date.UTC(2020, 0, 1)).toUTCString(), 0, 1_000],
  ])('with Retry-After: %s and chance %d waits %d ms', async (retryAfter, random, wait) => {
    const clock = leapingClock();
    let requests = 0;
    const { transactional } = clientOver(
      async () => {
        requests += 1;
        return requests === 1 ? busy(retryAfter) : sent();
      },
      { clock, random: () => random },
    );
    await transactional.sendMany(sends(2), { concurrency: 1 });

    expect(clock.waits).toEqual([wait]);
  });
});

describe('patience', () => {
  test('ends after ten minutes in which nothing gets through, and loses no item', async () => {
    const clock = leapingClock();
    const checkpoint = memoryCheckpoint();
    let requests = 0;
    const { transactional } = clientOver(
      async () => {
        requests += 1;
        return busy('59');
      },
      { clock, random: () => 0 },
    );
    const summary = await transactional.sendMany(sends(100), { checkpoint });

    expect(summary).toMatchObject({
      done: 0,
      unknown: 0,
      stoppedBecause: { reason: 'rate_limited', error: { name: 'RateLimitError', retryAfter: 59_000 } },
    });
    expect(clock.waits).toEqual(Array.from({ length: 10 }, () => 59_000));
    expect(requests).toBeLessThan(8 + 4 + 2 + 9);
    expect(checkpoint.saved()).toMatchObject({ done: [], rejected: [], unknown: [] });
  });

  test('does not begin to wait for what it will not wait for', async () => {
    const clock = leapingClock();
    const { transactional } = clientOver(async () => busy('3600'), { clock });
    const { stoppedBecause } = await transactional.sendMany(sends(100), { concurrency: 1 });

    expect(stoppedBecause).toMatchObject({ reason: 'rate_limited', index: 0 });
    expect(clock.waits).toEqual([]);
  });

  test('is an option, to the millisecond', async () => {
    const run = (patience: number) => {
      let requests = 0;
      const { transactional } = clientOver(
        async () => {
          requests += 1;
          return requests <= 2 ? busy('10') : sent();
        },
        { random: () => 0 },
      );
      return transactional.sendMany(sends(1), { patience });
    };

    expect(await run(20_000)).toMatchObject({ done: 1 });
    expect(await run(19_999)).toMatchObject({ done: 0, stoppedBecause: { reason: 'rate_limited' } });
    expect(await run(Number.POSITIVE_INFINITY)).toMatchObject({ done: 1 });
  });

  test('does not end because somebody sets the clock of the machine', async () => {
    const steady = manualClock();
    const service = heldService();
    let wall = steady.now();
    const clock = { ...steady, monotonic: steady.now, now: () => wall };
    const summary = clientOver(service.fetch, { clock, random: () => 0 }).transactional.sendMany(sends(2), {
      concurrency: 2,
      patience: 60_000,
    });
    await until(() => service.waiting().length === 2);
    service.answer(0, busy('10'));
    await settle();
    wall += 3_600_000;
    service.answer(1, busy('20'));
    await settle();
    steady.advance(20_000);
    await settle();
    while (service.waiting().length > 0) {
      for (const index of service.waiting()) service.answer(index);
      await settle();
    }

    expect(await summary).toMatchObject({ done: 2, stoppedBecause: undefined });
  });

  test('starts anew with each item that gets through', async () => {
    const { transactional } = limitedService(10, 50);

    expect(await transactional.sendMany(sends(100), { patience: 51_000 })).toMatchObject({ done: 100 });
  });
});

describe('a 503 with Retry-After', () => {
  const unavailable = () =>
    Response.json({ error: { code: 'unavailable' } }, { status: 503, headers: { 'retry-after': '20' } });

  test('lets all sends wait, and leaves the one that met it unknown', async () => {
    const clock = leapingClock();
    const { transactional } = clientOver(async (_, init) => (indexOf(init) === 0 ? unavailable() : sent()), {
      clock,
      random: () => 0,
    });

    expect(await transactional.sendMany(sends(9), { concurrency: 1 })).toMatchObject({ done: 8, unknown: 1 });
    expect(clock.waits).toEqual([20_000]);
  });

  test('lets all upserts wait, and loses none of them', async () => {
    const clock = leapingClock();
    let requests = 0;
    const { contacts } = clientOver(
      async () => {
        requests += 1;
        return requests === 1 ? unavailable() : Response.json({ id: 'c1', properties: {} }, { status: 201 });
      },
      { clock, random: () => 0 },
    );
    const rows = sends(9).map(({ phone }) => ({ phone }));

    expect(await contacts.upsertMany(rows, { concurrency: 1, retries: 0 })).toMatchObject({
      done: 9,
      unknown: 0,
    });
    expect(clock.waits).toEqual([20_000]);
  });
});

test('a 500 with Retry-After is a failure like any other: nobody waits', async () => {
  const clock = leapingClock();
  const failure = () =>
    Response.json({ error: { code: 'internal_error' } }, { status: 500, headers: { 'retry-after': '20' } });
  const { transactional } = clientOver(async (_, init) => (indexOf(init) === 0 ? failure() : sent()), {
    clock,
  });

  expect(await transactional.sendMany(sends(9), { concurrency: 1 })).toMatchObject({ done: 8, unknown: 1 });
  expect(clock.waits).toEqual([]);
});

test('what was being recorded when a pause begins waits as well, and is recorded as not begun', async () => {
  const clock = manualClock();
  const service = heldService();
  const memory = memoryCheckpoint();
  let finish: (() => void) | undefined;
  let held = false;
  const checkpoint = {
    ...memory,
    async save(given: BulkCheckpoint) {
      await memory.save(given);
      if (held)
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
    },
  };
  let more = () => {};
  async function* inputs() {
    yield* sends(1);
    await new Promise<void>((resolve) => {
      more = resolve;
    });
    yield* sends(2).slice(1);
  }
  const summary = clientOver(service.fetch, { clock, random: () => 0 }).transactional.sendMany(inputs(), {
    checkpoint,
    concurrency: 4,
  });
  await until(() => service.waiting().length === 1);
  held = true;
  more();
  await until(() => finish !== undefined);
  expect(memory.saved()).toMatchObject({ unknown: [[0, 1]] });
  service.answer(0, busy('10'));
  await settle();
  held = false;
  finish?.();
  await settle();
  expect(service.waiting()).toEqual([]);
  expect(memory.saved()).toMatchObject({ done: [], rejected: [], unknown: [] });

  clock.advance(10_000);
  await until(() => service.waiting().length === 2);
  service.answer(0);
  service.answer(1);
  expect(await summary).toMatchObject({ done: 2 });
});

describe('an outage', () => {
  test('has all wait longer and longer, and one at a time try whether it is over', async () => {
    const clock = leapingClock();
    const { transactional } = clientOver(async () => refusal(500, 'internal_error'), {
      clock,
      random: () => 0,
    });
    const options = { concurrency: 1, stopAfter: 9 };
    await transactional.sendMany(sends(100), options);

    // Two failures are no outage yet, and the last stops the run.
    expect(clock.waits).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  test('lets one go out when its wait is over, and more as they get through', async () => {
    const clock = manualClock();
    const service = heldService();
    const summary = clientOver(service.fetch, { clock, random: () => 0 }).transactional.sendMany(sends(20), {
      concurrency: 4,
    });
    await until(() => service.waiting().length === 4);
    for (const index of [0, 1, 2]) {
      service.answer(index, refusal(500, 'internal_error'));
      await settle();
    }
    service.answer(3);
    await settle();
    const [fourth, fifth, ...more] = service.waiting();
    expect(more).toEqual([]);
    for (const index of [fourth, fifth]) service.answer(Number(index));
    await settle();
    expect(service.waiting()).toEqual([]);
    clock.advance(4_999);
    await settle();
    expect(service.waiting()).toEqual([]);
    clock.advance(1);
    await settle();
    expect(service.waiting()).toEqual([6]);
    service.answer(6);
    await settle();
    expect(service.waiting()).toEqual([7, 8]);
    for (const index of [7, 8]) service.answer(index);
    await settle();
    expect(service.waiting()).toEqual([9, 10]); // each adds its part of one: two and a half, almost three
    for (const index of [9, 10]) service.answer(index);
    await settle();
    expect(service.waiting()).toEqual([11, 12, 13]);

    while (service.waiting().length > 0) {
      for (const index of service.waiting()) service.answer(index);
      await settle();
    }
    expect(await summary).toMatchObject({ done: 17, unknown: 3 });
  });

  test('that outlasts the patience stops the run', async () => {
    const { transactional } = clientOver(async () => refusal(500, 'internal_error'), { random: () => 0 });
    const { unknown, stoppedBecause } = await transactional.sendMany(sends(100), {
      concurrency: 1,
      patience: 5_000,
    });

    expect(stoppedBecause).toMatchObject({ reason: 'service_unavailable', index: 3 });
    expect(unknown).toBe(4);
  });
});

describe('aborting while sends wait on Retry-After', () => {
  test('sends none of them, tells what they met, and leaves them open', async () => {
    const clock = manualClock();
    const checkpoint = memoryCheckpoint();
    const controller = new AbortController();
    const service = heldService();
    const { transactional } = clientOver(service.fetch, { clock });
    const outcomes = collect(
      transactional.sendEach(sends(100), { checkpoint, signal: controller.signal, concurrency: 8 }),
    );
    await until(() => service.waiting().length === 8);
    for (const index of service.waiting()) service.answer(index, busy('4'));
    await settle();
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

  test('lets what is on the wire end, and sends nothing that waits for a turn', async () => {
    const clock = manualClock();
    const service = heldService();
    const controller = new AbortController();
    const summary = clientOver(service.fetch, { clock }).transactional.sendMany(sends(100), {
      signal: controller.signal,
      concurrency: 3,
    });
    await until(() => service.waiting().length === 3);
    service.answer(1, busy('4'));
    await settle();
    controller.abort();
    service.answer(0);
    service.answer(2, busy('8'));

    expect(await summary).toMatchObject({ done: 1, rejected: 2, stoppedBecause: { reason: 'aborted' } });
    expect(clock.timers()).toBe(0);
    expect(service.waiting()).toEqual([]);
  });

  test('ends upserts that wait between the attempts of their call', async () => {
    const clock = manualClock();
    const controller = new AbortController();
    let requests = 0;
    const { contacts } = clientOver(
      async () => {
        requests += 1;
        return refusal(500, 'internal_error');
      },
      { clock },
    );
    const rows = Array.from({ length: 100 }, (_, index) => ({ phone: phoneOf(index) }));
    const summary = contacts.upsertMany(rows, { signal: controller.signal, concurrency: 2 });
    await until(() => requests === 2);
    await settle();
    controller.abort();

    expect(await summary).toMatchObject({ done: 0, unknown: 2, stoppedBecause: { reason: 'aborted' } });
    expect(requests).toBe(2);
    expect(clock.timers()).toBe(0);
  });
});
