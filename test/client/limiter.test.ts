import {
  type ClientOptions,
  createLimiter,
  type LimiterOptions,
  RateLimitError,
  TimeoutError,
} from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { settle, until } from '../waiting.js';
import { busy } from './bulk/responses.js';
import { manualClock } from './support/clocks.js';
import { unserved } from './support/samples.js';
import { clientOf, rejection } from './support/service.js';

/** Clients of one limiter, of a service that holds each request, by its id, until the test responds to it. */
function limited(options: LimiterOptions = {}, client: ClientOptions = {}) {
  const clock = manualClock();
  const limiter = createLimiter({ clock, ...options });
  const begun: string[] = [];
  const held = new Map<string, (response: Response) => void>();
  const calls: Promise<unknown>[] = [];
  const fetch = (url: string) => {
    const id = url.slice(url.lastIndexOf('/') + 1);
    begun.push(id);
    return new Promise<Response>((resolve) => held.set(id, resolve));
  };
  async function received(id: string, response = new Response('{}')) {
    held.get(id)?.(response);
    await settle();
  }
  function call(id: string, { signal, ...more }: ClientOptions & { readonly signal?: AbortSignal } = {}) {
    const messaging = clientOf(unserved, {
      ...{ clock, fetch, random: () => 0, timeout: 100_000, limiter },
      ...client,
      ...more,
    });
    return messaging.request({ method: 'GET', path: '/v1/:id', params: { id } }, { signal });
  }
  return {
    clock,
    limiter,
    response: received,
    call,
    /** The ids of the requests that began, in their order. */
    begun,
    /** Makes calls that are to succeed. */
    callAll(...ids: readonly string[]) {
      calls.push(...ids.map((id) => call(id)));
    },
    begins: (...ids: readonly string[]) =>
      until(
        `the requests ${ids}`,
        () => `${begun}` === `${ids}`,
        () => begun,
      ),
    /** That exactly these requests have begun, in this order. */
    async hasBegun(...ids: readonly string[]) {
      await settle();
      expect(begun).toEqual(ids);
    },
    waits: (count: number) => until(`${count} waiting calls`, () => limiter.waiting === count),
    async advance(duration: number) {
      clock.advance(duration);
      await settle();
    },
    /** Responds to what has begun, until all calls have succeeded. */
    async finish() {
      for (const id of begun) await received(id);
      await Promise.all(calls);
      expect([limiter.waiting, clock.timers()]).toEqual([0, 0]);
    },
  };
}

describe('a 429', () => {
  test.each<[string, readonly (string | undefined)[], number]>([
    ['makes all calls wait as long as it says', ['20'], 20_000],
    ['after another one makes the pause no shorter: the longest counts', ['20', '5'], 20_000],
    ['without Retry-After makes the others wait as long as the first retry', [undefined], 700],
  ])('%s', async (_, retryAfters, pause) => {
    const { clock, begun, begins, hasBegun, callAll, response, advance, finish } = limited(
      {},
      { backoff: { initial: 700 } },
    );
    const met = ['a', 'b'].slice(0, retryAfters.length);
    callAll(...met);
    await begins(...met);
    for (const [index, id] of met.entries()) {
      await response(id, busy(retryAfters[index]));
      await clock.armed(met.length + index + 1); // a deadline for each call, and a wait for each 429
    }
    callAll('next');
    await advance(pause - 1);
    await hasBegun(...met);
    await advance(1);
    expect(begun.slice(met.length).sort()).toEqual([...met, 'next']);
    await finish();
  });

  test('with a Retry-After beyond maxRetryAfter makes the others wait for maxRetryAfter', async () => {
    const { begins, hasBegun, call, callAll, response, advance, finish } = limited(
      {},
      { maxRetryAfter: 30_000 },
    );
    const failed = rejection(call('a'));
    await begins('a');
    await response('a', busy('86400'));
    expect(await failed).toBeInstanceOf(RateLimitError);
    callAll('b');
    await advance(29_999);
    await hasBegun('a');
    await advance(1);
    await hasBegun('a', 'b');
    await finish();
  });
});

describe('a limiter', () => {
  test('bounds how many requests are under way, in the order of the calls', async () => {
    const { limiter, hasBegun, callAll, response, finish } = limited({ concurrency: 2 });
    callAll('1', '2', '3', '4');
    await hasBegun('1', '2');
    expect(limiter.waiting).toBe(2);
    await response('2');
    await hasBegun('1', '2', '3');
    await response('1');
    await hasBegun('1', '2', '3', '4');
    await finish();
  });

  test('spaces requests evenly within a second, also while none of them ends', async () => {
    const { begins, hasBegun, callAll, advance, finish } = limited({ requestsPerSecond: 4 });
    callAll('1', '2', '3');
    await begins('1');
    await advance(249);
    await hasBegun('1');
    await advance(1);
    await hasBegun('1', '2');
    await advance(250);
    await hasBegun('1', '2', '3');
    await finish();
  });

  test('measures by a time that does not jump, where the clock has one', async () => {
    const steady = manualClock();
    let wall = steady.now();
    const clock = { ...steady, monotonic: steady.now, now: () => wall };
    const { waits, begins, callAll, finish } = limited({ requestsPerSecond: 1, clock }, { clock });
    callAll('1');
    await begins('1');
    wall -= 86_400_000; // the machine's clock is set back by a day
    callAll('2');
    await waits(1);
    steady.advance(1_000);
    await begins('1', '2');
    await finish();
  });

  test.each([
    ['while it waits', false],
    ['in the moment of its turn', true],
  ])('sends nothing of a call that is aborted %s, and the one behind it keeps its turn', async (_, late) => {
    const { clock, waits, begins, hasBegun, call, callAll, advance, finish } = limited({
      requestsPerSecond: 1,
      concurrency: 2,
    });
    const controller = new AbortController();
    callAll('1');
    await begins('1');
    const aborted = rejection(call('2', controller));
    callAll('3');
    await waits(2);
    if (late) clock.advance(1_000);
    controller.abort('enough');
    expect(await aborted).toBe('enough');
    await advance(1_000);
    await hasBegun('1', '3');
    await finish();
  });

  test('ends the wait of a call with its deadline, of which nothing was sent', async () => {
    const { clock, limiter, waits, begins, call, callAll, response } = limited({ requestsPerSecond: 0.001 });
    callAll('1');
    await begins('1');
    await response('1');
    const failed = rejection(call('2'));
    await waits(1);
    clock.advance(100_000);

    expect(await failed).toBeInstanceOf(TimeoutError);
    expect(await failed).toMatchObject({ outcome: 'not_sent', attempts: 0 });
    expect([limiter.waiting, clock.timers()]).toEqual([0, 0]);
  });

  test.each(['the deadline', 'an abort'])(
    'takes the slot back at %s from a call whose fetch does not stop',
    async (end) => {
      const { clock, begins, call, callAll, finish } = limited({ concurrency: 1 });
      const controller = new AbortController();
      const failed = rejection(call('1', { signal: controller.signal, timeout: 1_000 }));
      callAll('2');
      await begins('1');
      if (end === 'an abort') controller.abort('enough');
      else clock.advance(1_000);
      await failed;
      await settle();
      await begins('1', '2');
      await finish();
    },
  );

  test('gives the place of a failed call to the next', async () => {
    const { begins, call, response } = limited({ concurrency: 1 });
    const failures = ['1', '2', '3'].map((id) => rejection(call(id)));
    await begins('1');
    for (const id of ['1', '2', '3']) await response(id, new Response('{}', { status: 400 }));
    await Promise.all(failures);
    await begins('1', '2', '3');
  });
});

test('a call that the runtime drops gives its slot back at its deadline, under way or waiting', async () => {
  const clock = manualClock();
  const limiter = createLimiter({ concurrency: 1, clock });
  const dropped = () => limiter.acquire(new AbortController().signal, 1_000);
  await dropped();
  void dropped();
  const begun: string[] = [];
  const next = limiter.acquire(new AbortController().signal, 5_000).then((release) => {
    begun.push('next');
    return release;
  });
  clock.advance(999);
  await settle();
  expect(begun).toEqual([]);
  clock.advance(1);
  (await next)();
  expect([limiter.waiting, clock.timers()]).toEqual([0, 0]);
});
