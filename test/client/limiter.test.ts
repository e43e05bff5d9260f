import { ConfigurationError, createLimiter, TimeoutError } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { manualClock } from './support/clocks.js';
import { answer, clientOf, inTurn, rejection, startService } from './support/service.js';

/** Lets everything that is due happen, up to where only time or a socket would go on. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

describe('a limiter', () => {
  test('lets all calls of its clients wait when one is answered 429', async () => {
    const clock = manualClock();
    const limited = answer(429, {}, { 'retry-after': '20' });
    const service = await startService(inTurn(limited, answer(200, [])));
    const limiter = createLimiter({ clock });
    const options = { limiter, clock, random: () => 0 };
    const first = clientOf(service, options).templates.list();
    await until(() => clock.timers() === 2); // the first call's deadline and its wait
    const others = [clientOf(service, options).templates.list(), clientOf(service, options).templates.list()];
    await until(() => limiter.waiting === 2);

    expect(service.requests).toHaveLength(1);
    clock.advance(19_999);
    expect(limiter.waiting).toBe(2);
    clock.advance(1);
    await Promise.all([first, ...others]);
    expect(service.requests).toHaveLength(4);
    expect(clock.timers()).toBe(0);
  });

  test('waits by a time that does not jump, where the clock has one', async () => {
    const steady = manualClock();
    let wall = steady.now();
    const clock = { ...steady, monotonic: steady.now, now: () => wall };
    const service = await startService(answer(200, []));
    const limiter = createLimiter({ requestsPerSecond: 1, clock });
    const options = { limiter, clock };
    await clientOf(service, options).templates.list();
    wall -= 86_400_000; // the machine's clock is set back by a day
    const next = clientOf(service, options).templates.list();
    await until(() => limiter.waiting === 1);
    steady.advance(1_000);

    expect(await next).toEqual([]);
  });

  test('bounds how many requests are on their way, in the order of the calls', async () => {
    const releases: (() => void)[] = [];
    const begun: string[] = [];
    const fetch = (url: string) => {
      begun.push(url.slice(-1));
      return new Promise<Response>((resolve) => releases.push(() => resolve(new Response('{}'))));
    };
    const limiter = createLimiter({ concurrency: 2 });
    const messaging = clientOf({ baseUrl: 'https://a.test/api' }, { limiter, fetch });
    const calls = ['1', '2', '3', '4'].map((id) =>
      messaging.request({ method: 'GET', path: '/v1/:id', params: { id } }),
    );
    await until(() => begun.length === 2);
    expect(limiter.waiting).toBe(2);
    releases[1]?.();
    await until(() => begun.length === 3);
    releases[0]?.();
    await until(() => begun.length === 4);
    for (const release of releases) release();
    await Promise.all(calls);

    expect(begun).toEqual(['1', '2', '3', '4']);
    expect(limiter.waiting).toBe(0);
  });

  test('spaces requests evenly within a second', async () => {
    const clock = manualClock();
    const service = await startService(answer(200, []));
    const limiter = createLimiter({ requestsPerSecond: 4, clock });
    const messaging = clientOf(service, { limiter });
    const calls = [messaging.templates.list(), messaging.templates.list(), messaging.templates.list()];
    await until(() => limiter.waiting === 2);
    clock.advance(249);
    expect(limiter.waiting).toBe(2);
    clock.advance(1);
    expect(limiter.waiting).toBe(1);
    clock.advance(250);
    await Promise.all(calls);

    expect(service.requests).toHaveLength(3);
  });

  test('ends the wait of a call with its deadline, of which nothing was sent, and goes on', async () => {
    const clock = manualClock();
    const service = await startService(answer(200, []));
    const limiter = createLimiter({ requestsPerSecond: 0.001, clock });
    const messaging = clientOf(service, { limiter, clock });
    await messaging.templates.list();
    const failed = rejection(messaging.templates.list());
    await until(() => limiter.waiting === 1);
    clock.advance(30_000);

    expect(await failed).toBeInstanceOf(TimeoutError);
    expect(await failed).toMatchObject({ outcome: 'not_sent', attempts: 0 });
    expect([limiter.waiting, clock.timers()]).toEqual([0, 0]);
  });

  test('gives its place back when a call fails', async () => {
    const service = await startService(answer(400, {}));
    const messaging = clientOf(service, { limiter: createLimiter({ concurrency: 1 }) });
    for (let call = 0; call < 3; call += 1) await rejection(messaging.templates.list());

    expect(service.requests).toHaveLength(3);
  });

  test.each([{ concurrency: 0 }, { concurrency: Number.NaN }, { requestsPerSecond: -1 }])(
    'cannot be made with %j',
    (options) => {
      expect(() => createLimiter(options)).toThrow(ConfigurationError);
    },
  );
});
