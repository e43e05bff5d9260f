import { getEventListeners } from 'node:events';
import {
  ApiError,
  createLimiter,
  RateLimitError,
  type RequestError,
  ServerError,
  TimeoutError,
} from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { settle, until } from '../waiting.js';
import { type Behaviour, faults, inTurn, reply } from './support/behaviours.js';
import { eagerClock, manualClock } from './support/clocks.js';
import { phone, send, untyped } from './support/samples.js';
import { type Call, failure, listTemplates, rejection, sendOne, startClient } from './support/service.js';

const upsert: Call = ({ contacts }) => contacts.upsert({ phone });
const busy = (retryAfter: string) => reply(429, {}, { 'retry-after': retryAfter });

describe('the waits between attempts', () => {
  test('double up to the maximum, and jitter takes up to a half of each', async () => {
    const waits = async (random: number, options: object) => {
      const clock = eagerClock(30_000);
      await failure(reply(503), listTemplates, { clock, random: () => random, ...options });
      return clock.waits;
    };
    const short = { backoff: { initial: 100, max: 350 }, retries: 4 };

    expect(await waits(0, short)).toEqual([100, 200, 350, 350]);
    expect(await waits(0.5, short)).toEqual([75, 150, 262.5, 262.5]);
    expect(await waits(0, {})).toEqual([500, 1_000]);
    expect(await waits(0, { retries: 6 })).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000]);
  });

  test.each<[string, string, readonly number[]]>([
    ['in seconds', '3', [3_000, 3_125]],
    ['as a date', 'Thu, 01 Jan 2026 00:00:05 GMT', [5_000, 5_125]],
    ['shorter than the backoff', '0.4', [500, 525]],
    ['of zero', '0', [500, 375]],
    ['as a date gone by', 'Wed, 31 Dec 2025 23:59:00 GMT', [500, 375]],
    ['as a date in ISO 8601', '2026-01-01T00:00:05Z', [5_000, 5_125]],
    ['with the unit s', '3s', [3_000, 3_125]],
    ['that two gateways have set', '1, 3', [3_000, 3_125]],
    ['that cannot be read', 'soon', [500, 375]],
    ['with other words before the seconds', 'in 5', [500, 375]],
    ['of which one cannot be read', '5, soon', [500, 375]],
    ['in words that are no day', 'A1', [500, 375]],
    ['with a unit', '7 seconds', [500, 375]],
  ])('are neither shorter than Retry-After %s (%s) nor than the backoff', async (_, retryAfter, expected) => {
    const waits = async (random: number) => {
      const clock = eagerClock();
      const behave = inTurn(busy(retryAfter), reply(200, { success: true }));
      await sendOne((await startClient(behave, { clock, random: () => random })).messaging);
      return clock.waits;
    };

    expect([...(await waits(0)), ...(await waits(0.5))]).toEqual(expected);
  });

  test.each([
    ['8', 8_000],
    ['60', undefined],
  ])('are made where Retry-After is %s s and maxRetryAfter is %s', async (retryAfter, maxRetryAfter) => {
    const clock = manualClock();
    const options = { clock, maxRetryAfter, timeout: 100_000, random: () => 0 };
    const { messaging } = await startClient(inTurn(busy(retryAfter), reply(200, [])), options);
    const templates = messaging.templates.list();
    await clock.armed(2);
    clock.advance(Number(retryAfter) * 1_000);

    expect(await templates).toEqual([]);
  });

  test.each([
    ['Retry-After is longer than maxRetryAfter', '8.001', { maxRetryAfter: 8_000 }],
    ['Retry-After is longer than a minute', '60.001', { timeout: 100_000 }],
    ['they would outlast the deadline', '6', { timeout: 5_000 }],
    ['they would end at the very deadline', '3', { timeout: 3_000, random: () => 0 }],
  ])('are not made where %s: the error comes at once', async (_, retryAfter, options) => {
    const given = { clock: manualClock(), ...options };
    const { error, requests } = await failure(busy(retryAfter), listTemplates, given);

    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfter: Number(retryAfter) * 1_000, retryable: true, attempts: 1 });
    expect(requests).toHaveLength(1);
  });
});

test('one deadline covers all attempts', async () => {
  const clock = manualClock();
  const behave = inTurn(reply(503, {}, { 'retry-after': '4' }), faults.stall);
  const { messaging, received } = await startClient(behave, { clock, timeout: 5_000, random: () => 0 });
  const failed = rejection(messaging.templates.list());
  await clock.armed(2);
  clock.advance(4_000);
  await received(2);
  clock.advance(1_000);

  expect(await failed).toBeInstanceOf(TimeoutError);
  expect(await failed).toMatchObject({ attempts: 2, outcome: 'unknown', retryable: true });
});

test('a jump of the wall clock neither ends the retries nor makes the call longer', async () => {
  for (const jump of [-3_600_000, 3_600_000]) {
    const steady = manualClock();
    const started = steady.now();
    let wall = started;
    const clock = { ...steady, monotonic: () => steady.now() - started, now: () => wall };
    const jumping: Behaviour = (...given) => {
      wall += jump;
      reply(503)(...given);
    };
    const options = { clock, timeout: 5_000, random: () => 0 };
    const { messaging } = await startClient(inTurn(jumping, reply(200, [])), options);
    const templates = messaging.templates.list();
    await steady.armed(2);
    steady.advance(500);

    expect(await templates).toEqual([]);
  }
});

test.each([
  ...[300, 301, 307, 308].map((status) => [status, 'rejected'] as const),
  ...[302, 303, 501, 505].map((status) => [status, 'unknown'] as const),
  ...[400, 401, 402, 403, 404, 409, 413, 422].map((status) => [status, 'rejected'] as const),
])('a %i after a send leaves the outcome %s', async (status, outcome) => {
  for (const call of [sendOne, upsert]) {
    const { error, requests } = await failure(reply(status, {}, { location: '/elsewhere' }), call);

    expect(error).toBeInstanceOf(status < 500 ? ApiError : ServerError);
    expect(error).toMatchObject({ status, outcome, retryable: false, attempts: 1 });
    expect(requests).toHaveLength(1);
  }
});

test.each<[string, Behaviour, RequestError['outcome']]>([
  ['unknown, because the first was', inTurn(faults.reset, reply(429), reply(404)), 'unknown'],
  ['unknown, because the second was', inTurn(reply(429), faults.reset, reply(404)), 'unknown'],
  ['rejected, as all were', inTurn(reply(429), reply(429), reply(404)), 'rejected'],
])('the outcome of three attempts is %s', async (_, behave, outcome) => {
  const { error, requests } = await failure(behave, upsert);

  expect(error).toMatchObject({ status: 404, outcome, attempts: 3 });
  expect(requests).toHaveLength(3);
});

describe('a call of a bulk run that has stopped makes no further attempt', () => {
  test('while it waits for one: it ends with the error of the attempt before', async () => {
    const stop = new AbortController();
    const clock = manualClock();
    const { messaging, requests } = await startClient(reply(429), { clock });
    const options = untyped<object>({ noMoreAttempts: stop.signal });
    const failed = rejection(messaging.transactional.send(send, options));
    await clock.armed(2);
    stop.abort();

    expect(await failed).toMatchObject({ status: 429, outcome: 'rejected', attempts: 1 });
    expect([requests.length, clock.timers()]).toEqual([1, 0]);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  test('and no first one, while it waits for the limiter', async () => {
    const stop = new AbortController();
    const limiter = createLimiter({ concurrency: 1, clock: manualClock() });
    await limiter.acquire(new AbortController().signal, 60_000);
    const { messaging, requests } = await startClient(reply(200, { success: true }), { limiter });
    const options = untyped<object>({ noMoreAttempts: stop.signal });
    const failed = rejection(messaging.transactional.send(send, options));
    await until('the call to wait', () => limiter.waiting === 1);
    stop.abort();
    await settle();

    expect(limiter.waiting).toBe(0);
    expect(await failed).toMatchObject({ outcome: 'not_sent', retryable: true, attempts: 0 });
    expect(requests).toEqual([]);
  });
});

describe('a call that is aborted rejects with the reason as it is, and tells its outcome', () => {
  test('before anything was sent', async () => {
    const { messaging, requests } = await startClient(faults.stall);
    const call = messaging.transactional.send(send, { signal: AbortSignal.abort('enough') });

    expect(await rejection(call)).toBe('enough');
    expect(call.outcome).toBe('not_sent');
    expect(requests).toHaveLength(0);
  });

  test('while it waits for its next attempt', async () => {
    const controller = new AbortController();
    const clock = manualClock();
    const { messaging, requests } = await startClient(reply(429), { clock });
    const call = messaging.transactional.send(send, controller);
    const failed = rejection(call);
    await clock.armed(2);
    controller.abort('enough');

    expect(await failed).toBe('enough');
    expect(call.outcome).toBe('rejected');
    expect(clock.timers()).toBe(0);
    expect(requests).toHaveLength(1);
  });

  test('and one that fails or succeeds does so too', async () => {
    const { messaging } = await startClient(inTurn(reply(402), reply(200, { success: true })));
    const failing = messaging.transactional.send(send);
    expect(await rejection(failing)).toMatchObject({ outcome: 'rejected' });
    expect(failing.outcome).toBe('rejected');
    const succeeding = messaging.transactional.send(send);
    await succeeding;
    expect(succeeding.outcome).toBeUndefined();
  });
});
