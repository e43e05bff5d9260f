import { getEventListeners } from 'node:events';
import { type BulkCheckpoint, createLimiter, InvalidInputError } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { settle, until, within } from '../../waiting.js';
import { manualClock } from '../support/clocks.js';
import { untyped } from '../support/samples.js';
import { noteEvents, rejection } from '../support/service.js';
import { rows, sends } from './items.js';
import { busy, refusal, sent, upserted } from './responses.js';
import { clientOver, collect, heldRun, heldService, memoryCheckpoint, responding } from './runs.js';

const outOfQuota = () => refusal(402, 'quota_exceeded');

test.each([
  [402, 'quota_exceeded', 'QuotaExceededError'],
  [401, 'not_authorized', 'AuthenticationError'],
  [403, 'not_authorized', 'PermissionError'],
])(
  'a %d starts no further item, lets those under way finish, and says where and why',
  async (status, reason, name) => {
    const controller = new AbortController();
    const { service, summary } = heldRun(100, { concurrency: 3, signal: controller.signal });
    await service.holds(3);
    await service.response(1, () => refusal(status, 'refused'));
    controller.abort(); // the first cause counts
    expect(service.waiting()).toEqual([0, 2]);
    await service.response([0, 2]);

    expect(await summary).toMatchObject({
      done: 2,
      rejected: 1,
      stoppedBecause: { reason, index: 1, error: { name, status } },
    });
  },
);

describe('aborting', () => {
  test('lets requests under way finish, and tells the reason', async () => {
    const controller = new AbortController();
    const { service, summary } = heldRun(100, { concurrency: 2, signal: controller.signal });
    await service.holds(2);
    const reason = new Error('the night is over');
    controller.abort(reason);
    await service.response([0, 1]);

    const counts = { done: 2, rejected: 0, unknown: 0, skipped: 0 };
    const stoppedBecause = { reason: 'aborted', error: reason, index: 2 };
    expect(await summary).toMatchObject({ ...counts, stoppedBecause });
  });

  test.each([
    ['while an item waits for its next attempt', ['fail', 'abort']],
    ['before an item has to wait for its next attempt', ['abort', 'fail']],
  ] as const)('%s makes none', async (_, steps) => {
    const service = heldService();
    const controller = new AbortController();
    const clock = manualClock();
    const { contacts } = clientOver(service.fetch, { clock });
    const run = contacts.upsertEach(rows(1), { signal: controller.signal });
    const outcomes = collect(run);
    await service.holds(1);
    for (const step of steps) {
      if (step === 'abort') controller.abort();
      else await service.response(0, () => refusal(503, 'unavailable'));
    }

    expect(await outcomes).toMatchObject([{ status: 'unknown', error: { status: 503, attempts: 1 } }]);
    expect(await run.summary()).toMatchObject({ stoppedBecause: { reason: 'aborted' } });
    expect(clock.timers()).toBe(0);
  });

  test('before the start sends nothing', async () => {
    const { sendMany, requests } = responding(sent);
    const summary = await sendMany(sends(1), { signal: AbortSignal.abort() });

    expect(summary).toMatchObject({ done: 0, stoppedBecause: { reason: 'aborted', index: 0 } });
    expect(requests).toEqual([]);
  });

  test('does not wait for an input that gives nothing', async () => {
    const controller = new AbortController();
    async function* input() {
      yield* sends(1);
      await new Promise(() => {});
    }
    const { sendMany, requests } = responding(sent);
    const summary = sendMany(input(), controller);
    await until('the first item', () => requests.length === 1);
    await settle();
    controller.abort();

    expect(await summary).toMatchObject({ done: 1, stoppedBecause: { reason: 'aborted', index: 1 } });
  });
});

describe('the input', () => {
  test('that throws ends the run, with its error and its index', async () => {
    const broken = new Error('line 3 of the file');
    function* input() {
      yield* sends(2);
      throw broken;
    }

    expect(await responding(sent).sendMany(input())).toMatchObject({
      done: 2,
      stoppedBecause: { reason: 'input_failed', error: broken, index: 2 },
    });
  });

  test('is closed before a stopped run ends, and an error of its closing changes nothing', async () => {
    let closed = false;
    async function* input() {
      try {
        yield* sends(100);
      } finally {
        await settle();
        closed = true;
        // biome-ignore lint/correctness/noUnsafeFinally: this is what is tested
        throw new Error('the file would not close');
      }
    }
    const run = responding(outOfQuota).sendMany(input(), { concurrency: 1 });

    expect(await run).toMatchObject({ rejected: 1, stoppedBecause: { reason: 'quota_exceeded', index: 0 } });
    expect(closed).toBe(true);
  });
});

test('leaving the loop starts no further item, and waits for requests under way', async () => {
  const service = heldService();
  const run = clientOver(service.fetch).transactional.sendEach(sends(100), { concurrency: 4 });
  const left = (async () => {
    for await (const { index } of run) return index;
    return undefined;
  })();
  await service.holds(4);
  await service.response([2, 1]); // the loop takes one of the outcomes, and the other waits to be taken
  let hasLeft = false;
  void left.then(() => {
    hasLeft = true;
  });
  await settle();
  const underWay = service.waiting();
  expect(hasLeft).toBe(false);
  await service.response(underWay);

  expect(await within('the loop to be left', left, service.waiting)).toBe(2);
  expect(underWay.length).toBeLessThanOrEqual(4);
  expect(await within('the summary', run.summary())).toMatchObject({
    done: underWay.length + 2,
    stoppedBecause: { reason: 'iteration_ended' },
  });
});

describe('a checkpoint that cannot be saved', () => {
  const full = new Error('no space left');
  const checkpoint = { ...memoryCheckpoint(), save: () => Promise.reject(full) };

  test('ends the run: no send goes out that is not recorded', async () => {
    const { sendMany, requests } = responding(sent);
    const summary = await sendMany(sends(100), { checkpoint });

    expect(requests).toEqual([]);
    expect(summary).toMatchObject({
      done: 0,
      rejected: 0,
      stoppedBecause: { reason: 'checkpoint_failed', error: full },
    });
  });

  test('after a change was not appended is saved whole before another change', async () => {
    const asked: string[] = [];
    const memory = memoryCheckpoint();
    let isFull = false;
    const appending = {
      ...memory,
      async save(whole: BulkCheckpoint) {
        asked.push('save');
        await memory.save(whole);
      },
      async append() {
        asked.push(isFull ? 'append that fails' : 'append');
        if (!isFull) return;
        isFull = false;
        throw full;
      },
    };
    const service = heldService();
    const { transactional } = clientOver(service.fetch);
    const summary = transactional.sendMany(sends(3), { checkpoint: appending, concurrency: 3 });
    await service.holds(3);
    isFull = true;
    await service.response(0);
    await service.response(1);

    expect(asked.slice(asked.indexOf('append that fails') + 1)).toEqual(['save']);
    expect(memory.saved()).toMatchObject({ done: [[0, 1]], unknown: [[2, 2]] });
    expect(await service.finish(summary)).toMatchObject({ stoppedBecause: { reason: 'checkpoint_failed' } });
  });

  test('at the end is reported too', async () => {
    const summary = await responding(upserted).upsertMany(rows(1), { checkpoint });

    expect(summary).toMatchObject({ done: 1, stoppedBecause: { reason: 'checkpoint_failed' } });
  });
});

test('after an abort, no item goes out that waits in the limiter of the client, and each stays open', async () => {
  const controller = new AbortController();
  const service = heldService();
  const checkpoint = memoryCheckpoint();
  const messaging = clientOver(service.fetch, { limiter: createLimiter({ concurrency: 1 }) });
  const summary = messaging.transactional.sendMany(sends(10), { signal: controller.signal, checkpoint });
  await service.holds(1);
  controller.abort();
  await service.response(0);

  expect(await summary).toMatchObject({
    done: 1,
    rejected: 0,
    unknown: 0,
    stoppedBecause: { reason: 'aborted' },
  });
  expect(service.waiting()).toEqual([]);
  expect(checkpoint.saved()).toMatchObject({ done: [[0, 0]], rejected: [], unknown: [] });
});

test('a promise of the input that rejects before it is read stops the run there, and ends no process', async () => {
  const unhandled = noteEvents('unhandledRejection');
  const failure = new Error('the database is gone');
  const items = sends(20).map(async (input, index) => {
    if (index === 12 || index === 15) throw failure;
    return input;
  });
  const { sendMany } = responding(sent);

  expect(await sendMany(items, { concurrency: 1 })).toMatchObject({
    done: 12,
    stoppedBecause: { reason: 'input_failed', index: 12, error: failure },
  });
  await settle();
  expect(unhandled).toEqual([]);
});

describe('no timer and no listener of the signal is left by a run', () => {
  test.each<[string, () => Response, 'abort' | undefined]>([
    ['that ends', sent, undefined],
    ['whose items are rejected', () => refusal(404, 'not_found'), undefined],
    ['whose service fails', () => refusal(500, 'internal_error'), undefined],
    ['that a 402 stops', outOfQuota, undefined],
    ['that is aborted while it waits on Retry-After', () => busy('60'), 'abort'],
  ])('%s', async (_, respond, end) => {
    const clock = manualClock();
    const controller = new AbortController();
    const { signal } = controller;
    let closed = false;
    const close = async () => {
      closed = true;
    };
    const checkpoint = { ...memoryCheckpoint(), close };
    const { transactional } = clientOver(async () => respond(), { clock });
    const summary = transactional.sendMany(sends(2), { checkpoint, signal, concurrency: 1 });
    await settle();
    if (end === 'abort') controller.abort();
    await within('the summary', summary);

    expect([closed, clock.timers()]).toEqual([true, 0]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

test('a store that never closes holds the summary for thirty seconds', async () => {
  const clock = manualClock();
  const { transactional } = clientOver(async () => sent(), { clock });
  const checkpoint = { ...memoryCheckpoint(), close: () => new Promise<void>(() => {}) };
  const summary = transactional.sendMany(sends(2), { checkpoint });
  await until('the wait for the store', () => clock.timers() === 1);
  clock.advance(29_999);
  expect(clock.timers()).toBe(1);
  clock.advance(1);
  expect(await within('the summary', summary)).toMatchObject({ done: 2 });
});

describe('what is wrong around a run', () => {
  test.each([
    ['a controller in place of its signal', { signal: untyped<AbortSignal>(new AbortController()) }],
    ['a concurrency of 0', { concurrency: 0 }],
  ])('%s is an error of the run, of its loop and of its summary', async (_, options) => {
    const { contacts } = clientOver(async () => upserted());
    expect(await rejection(contacts.upsertMany(rows(2), options))).toBeInstanceOf(InvalidInputError);
    expect(await rejection(collect(contacts.upsertEach(rows(2), options)))).toBeInstanceOf(InvalidInputError);
  });

  test('a pause that is longer than the run leaves no timer', async () => {
    const clock = manualClock();
    const { transactional } = clientOver(async () => refusal(503, 'unavailable', { 'retry-after': '300' }), {
      clock,
      retries: 0,
    });
    const summary = await within('the summary', transactional.sendMany(sends(1)));
    expect(summary).toMatchObject({ unknown: 1, stoppedBecause: undefined });
    expect(clock.timers()).toBe(0);
  });

  test('a source of randomness that throws ends the run with its error', async () => {
    const random = () => {
      throw new Error('no entropy');
    };
    const { contacts } = clientOver(async () => busy('1'), { random });
    expect(await rejection(contacts.upsertMany(rows(3), { concurrency: 2 }))).toMatchObject({
      message: 'no entropy',
    });
  });

  test('a checkpoint whose close throws changes nothing about the summary', async () => {
    const store = {
      ...memoryCheckpoint(),
      close: () => {
        throw new Error('closed already');
      },
    };
    const { contacts } = clientOver(async () => upserted());
    expect(await contacts.upsertMany(rows(2), { checkpoint: untyped(store) })).toMatchObject({ done: 2 });
  });
});
