import {
  type ClientOptions,
  ConfigurationError,
  createLimiter,
  type LimiterOptions,
  RateLimitError,
  TimeoutError,
} from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { settle, until } from '../waiting.js';
import { manualClock } from './support/clocks.js';
import { clientOf, rejection } from './support/service.js';

const busy = (retryAfter?: string) =>
  new Response('{}', { status: 429, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } });

/** Clients of one limiter, of a service that holds each request, by its id, until the test answers it. */
function limited(options: LimiterOptions = {}, client: ClientOptions = {}) {
  const clock = manualClock();
  const limiter = createLimiter({ clock, ...options });
  const begun: string[] = [];
  const held = new Map<string, (response: Response) => void>();
  const fetch = (url: string) => {
    const id = url.slice(url.lastIndexOf('/') + 1);
    begun.push(id);
    return new Promise<Response>((resolve) => held.set(id, resolve));
  };
  return {
    clock,
    limiter,
    /** The ids of the requests that began, in their order. */
    begun,
    call(id: string, { signal, ...more }: ClientOptions & { readonly signal?: AbortSignal } = {}) {
      const options = { clock, fetch, random: () => 0, timeout: 100_000, limiter, ...client, ...more };
      const messaging = clientOf({ baseUrl: 'https://a.test/api' }, options);
      return messaging.request({ method: 'GET', path: '/v1/:id', params: { id } }, { signal });
    },
    begins: (...ids: readonly string[]) =>
      until(
        `the requests ${ids}`,
        () => `${begun}` === `${ids}`,
        () => begun,
      ),
    waits: (count: number) =>
      until(
        `${count} waiting calls`,
        () => limiter.waiting === count,
        () => limiter.waiting,
      ),
    async answer(id: string, response = new Response('{}')) {
      held.get(id)?.(response);
      await settle();
    },
    async advance(duration: number) {
      clock.advance(duration);
      await settle();
    },
  };
}

describe('a 429', () => {
  test('makes all calls of the clients of a limiter wait, and none of another limiter', async () => {
    const { clock, begins, begun, call, answer, advance } = limited();
    const calls = [call('a')];
    await begins('a');
    await answer('a', busy('20'));
    calls.push(call('b'), call('c'));
    calls.push(call('other', { limiter: createLimiter({ clock }) }));
    await begins('a', 'other');
    await advance(19_999);
    expect(begun).toEqual(['a', 'other']);
    await advance(1);
    expect(begun.slice(2).sort()).toEqual(['a', 'b', 'c']);
    for (const id of ['a', 'b', 'c', 'other']) await answer(id);
    await Promise.all(calls);
    expect(clock.timers()).toBe(0);
  });

  test('after another one makes the pause no shorter: the longest counts', async () => {
    const { begins, begun, call, answer, advance } = limited();
    const calls = [call('a'), call('b')];
    await begins('a', 'b');
    await answer('a', busy('20'));
    await answer('b', busy('5'));
    calls.push(call('c'));
    await advance(19_999);
    expect(begun).toEqual(['a', 'b']);
    await advance(1);
    expect(begun.slice(2).sort()).toEqual(['a', 'b', 'c']);
    for (const id of ['a', 'b', 'c']) await answer(id);
    await Promise.all(calls);
  });

  test('without Retry-After makes the others wait as long as the first retry', async () => {
    const { begins, begun, call, answer, advance } = limited({}, { backoff: { initial: 700 } });
    const calls = [call('a')];
    await begins('a');
    await answer('a', busy());
    calls.push(call('b'));
    await advance(699);
    expect(begun).toEqual(['a']);
    await advance(1);
    expect(begun.slice(1).sort()).toEqual(['a', 'b']);
    for (const id of ['a', 'b']) await answer(id);
    await Promise.all(calls);
  });

  test('with a Retry-After beyond maxRetryAfter makes the others wait for maxRetryAfter', async () => {
    const { begins, begun, call, answer, advance } = limited({}, { maxRetryAfter: 30_000 });
    const failed = rejection(call('a'));
    await begins('a');
    await answer('a', busy('86400'));
    expect(await failed).toBeInstanceOf(RateLimitError);
    const next = call('b');
    await advance(29_999);
    expect(begun).toEqual(['a']);
    await advance(1);
    expect(begun).toEqual(['a', 'b']);
    await answer('b');
    await next;
  });
});

describe('a limiter', () => {
  test('bounds how many requests are under way, in the order of the calls', async () => {
    const { limiter, begins, begun, call, answer } = limited({ concurrency: 2 });
    const calls = ['1', '2', '3', '4'].map((id) => call(id));
    await begins('1', '2');
    await settle();
    expect(limiter.waiting).toBe(2);
    await answer('2');
    expect(begun).toEqual(['1', '2', '3']);
    await answer('1');
    expect(begun).toEqual(['1', '2', '3', '4']);
    await answer('3');
    await answer('4');
    await Promise.all(calls);
    expect(limiter.waiting).toBe(0);
  });

  test('spaces requests evenly within a second, also while none of them ends', async () => {
    const { begins, begun, call, answer, advance } = limited({ requestsPerSecond: 4 });
    const calls = ['1', '2', '3'].map((id) => call(id));
    await begins('1');
    await advance(249);
    expect(begun).toEqual(['1']);
    await advance(1);
    expect(begun).toEqual(['1', '2']);
    await advance(250);
    expect(begun).toEqual(['1', '2', '3']);
    for (const id of begun) await answer(id);
    await Promise.all(calls);
  });

  test('measures by a time that does not jump, where the clock has one', async () => {
    const steady = manualClock();
    let wall = steady.now();
    const clock = { ...steady, monotonic: steady.now, now: () => wall };
    const { waits, begins, begun, call, answer } = limited({ requestsPerSecond: 1, clock }, { clock });
    const calls = [call('1')];
    await begins('1');
    wall -= 86_400_000; // the machine's clock is set back by a day
    calls.push(call('2'));
    await waits(1);
    steady.advance(1_000);
    await begins('1', '2');
    for (const id of begun) await answer(id);
    await Promise.all(calls);
  });

  test('lets the calls behind an aborted one keep their turn', async () => {
    const { clock, waits, begins, begun, call, answer, advance } = limited({
      requestsPerSecond: 1,
    });
    const controller = new AbortController();
    const calls = [call('1')];
    await begins('1');
    const aborted = rejection(call('2', controller));
    calls.push(call('3'));
    await waits(2);
    controller.abort('enough');
    expect(await aborted).toBe('enough');
    await advance(1_000);
    expect(begun).toEqual(['1', '3']);
    for (const id of begun) await answer(id);
    await Promise.all(calls);
    expect(clock.timers()).toBe(0);
  });

  test('sends nothing of a call that is aborted in the moment of its turn, and lets the next one begin', async () => {
    const { clock, waits, begins, begun, call, answer, advance } = limited({
      requestsPerSecond: 1,
      concurrency: 2,
    });
    const controller = new AbortController();
    const calls = [call('1')];
    await begins('1');
    const aborted = rejection(call('2', controller));
    calls.push(call('3'));
    await waits(2);
    clock.advance(1_000);
    controller.abort('enough');
    expect(await aborted).toBe('enough');
    await advance(1_000);
    expect(begun).toEqual(['1', '3']);
    for (const id of begun) await answer(id);
    await Promise.all(calls);
  });

  test('ends the wait of a call with its deadline, of which nothing was sent', async () => {
    const { clock, limiter, waits, begins, call, answer } = limited({ requestsPerSecond: 0.001 });
    const first = call('1');
    await begins('1');
    await answer('1');
    await first;
    const failed = rejection(call('2'));
    await waits(1);
    clock.advance(100_000);

    expect(await failed).toBeInstanceOf(TimeoutError);
    expect(await failed).toMatchObject({ outcome: 'not_sent', attempts: 0 });
    expect([limiter.waiting, clock.timers()]).toEqual([0, 0]);
  });

  test('gives the place of a failed call to the next', async () => {
    const { begins, call, answer } = limited({ concurrency: 1 });
    const failures = ['1', '2', '3'].map((id) => rejection(call(id)));
    await begins('1');
    for (const id of ['1', '2', '3']) await answer(id, new Response('{}', { status: 400 }));
    await Promise.all(failures);
    await begins('1', '2', '3');
  });

  test.each([{ concurrency: 0 }, { concurrency: Number.NaN }, { requestsPerSecond: -1 }])(
    'cannot be made with %j',
    (options) => {
      expect(() => createLimiter(options)).toThrow(ConfigurationError);
    },
  );
});
