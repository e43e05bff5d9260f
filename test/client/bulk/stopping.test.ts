import { getEventListeners } from 'node:events';
import type { SendInput } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../support/clocks.js';
import {
  clientOver,
  collect,
  heldService,
  indexOf,
  memoryCheckpoint,
  phoneOf,
  refusal,
  sends,
  sent,
  settle,
  until,
} from './support.js';

describe.each([
  [402, 'quota_exceeded', 'QuotaExceededError'],
  [401, 'not_authorized', 'AuthenticationError'],
  [403, 'not_authorized', 'PermissionError'],
])('a %d', (status, reason, name) => {
  test('begins no further item, lets those under way finish, and says where and why', async () => {
    const service = heldService();
    const run = clientOver(service.fetch).transactional.sendEach(sends(100), { concurrency: 3 });
    const outcomes = collect(run);
    await until(() => service.waiting().length === 3);
    expect(service.waiting()).toEqual([0, 1, 2]);
    service.answer(1, refusal(status, 'refused'));
    await settle();
    expect(service.waiting()).toEqual([0, 2]);
    service.answer(0);
    service.answer(2);

    expect((await outcomes).map((outcome) => [outcome.index, outcome.status])).toEqual([
      [1, 'rejected'],
      [0, 'done'],
      [2, 'done'],
    ]);
    expect(await run.summary()).toMatchObject({
      done: 2,
      rejected: 1,
      stoppedBecause: { reason, index: 1, error: { name, status } },
    });
  });
});

test.each([400, 404, 409, 422, 500, 503])('a %d ends its own item alone', async (status) => {
  const { transactional } = clientOver(async (_, init) =>
    indexOf(init) === 0 ? refusal(status, 'no') : sent(),
  );

  expect(await transactional.sendMany(sends(20))).toMatchObject({ done: 19, stoppedBecause: undefined });
});

describe('aborting', () => {
  test('lets what is under way finish, and tells the reason', async () => {
    const service = heldService();
    const controller = new AbortController();
    const summary = clientOver(service.fetch).transactional.sendMany(sends(100), {
      concurrency: 2,
      signal: controller.signal,
    });
    await until(() => service.waiting().length === 2);
    const reason = new Error('the night is over');
    controller.abort(reason);
    service.answer(0);
    service.answer(1);

    expect(await summary).toMatchObject({
      done: 2,
      rejected: 0,
      unknown: 0,
      skipped: 0,
      stoppedBecause: { reason: 'aborted', error: reason, index: 2 },
    });
  });

  test.each([
    ['while an item waits for its next attempt', (abort: () => void, fail: () => void) => [fail, abort]],
    [
      'before an item has to wait for its next attempt',
      (abort: () => void, fail: () => void) => [abort, fail],
    ],
  ])('%s makes none', async (_, inOrder) => {
    const service = heldService();
    const controller = new AbortController();
    const clock = manualClock();
    const { contacts } = clientOver(service.fetch, { clock });
    const run = contacts.upsertEach([{ phone: phoneOf(0) }], { signal: controller.signal });
    const outcomes = collect(run);
    await until(() => service.waiting().length === 1);
    const fail = () => service.answer(0, refusal(503, 'unavailable'));
    for (const step of inOrder(() => controller.abort(), fail)) {
      step();
      await settle();
    }

    expect(await outcomes).toMatchObject([{ status: 'unknown', error: { status: 503, attempts: 1 } }]);
    expect(await run.summary()).toMatchObject({ stoppedBecause: { reason: 'aborted' } });
    expect(clock.timers()).toBe(0);
  });

  test('before the beginning reads nothing', async () => {
    let read = 0;
    function* input() {
      read += 1;
      yield* sends(1);
    }
    const run = clientOver(async () => sent()).transactional.sendMany(input(), {
      signal: AbortSignal.abort(),
    });

    expect(await run).toMatchObject({ done: 0, stoppedBecause: { reason: 'aborted', index: 0 } });
    expect(read).toBe(0);
  });

  test('does not wait for an input that gives nothing', async () => {
    const controller = new AbortController();
    async function* input() {
      yield* sends(1);
      await new Promise(() => {});
    }
    let done = 0;
    const summary = clientOver(async () => sent()).transactional.sendMany(input(), {
      signal: controller.signal,
      onProgress: (progress) => {
        done = progress.done;
      },
    });
    await until(() => done === 1);
    controller.abort();

    expect(await summary).toMatchObject({ done: 1, stoppedBecause: { reason: 'aborted', index: 1 } });
  });

  test('leaves no listener behind', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const fetch = async () => {
      listeners = Math.max(listeners, getEventListeners(signal, 'abort').length);
      return sent();
    };
    await clientOver(fetch).transactional.sendMany(sends(10), { signal });

    expect(listeners).toBe(1);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('the input', () => {
  test('that throws ends the run, with its error and where', async () => {
    const broken = new Error('line 3 of the file');
    function* input() {
      yield* sends(2);
      throw broken;
    }
    const summary = await clientOver(async () => sent()).transactional.sendMany(input());

    expect(summary).toMatchObject({
      done: 2,
      stoppedBecause: { reason: 'input_failed', error: broken, index: 2 },
    });
  });

  test('is closed when the run ends early, and what its closing throws changes nothing', async () => {
    let closed = false;
    async function* input() {
      try {
        yield* sends(100);
      } finally {
        closed = true;
        // biome-ignore lint/correctness/noUnsafeFinally: this is what is tested
        throw new Error('the file would not close');
      }
    }
    const run = clientOver(async () => refusal(402, 'quota_exceeded')).transactional.sendMany(input(), {
      concurrency: 1,
    });

    expect(await run).toMatchObject({ rejected: 1, stoppedBecause: { reason: 'quota_exceeded', index: 0 } });
    expect(closed).toBe(true);
  });
});

describe('an iterator of the input', () => {
  /** An input of so many sends, and how its iterator was used. */
  function watched(count: number) {
    const used = { next: 0, return: 0 };
    const left = [...sends(count)];
    const inputs: AsyncIterable<SendInput> = {
      [Symbol.asyncIterator]: () => ({
        async next() {
          used.next += 1;
          const value = left.shift();
          return value === undefined ? { done: true, value } : { done: false, value };
        },
        async return() {
          used.return += 1;
          return { done: true, value: undefined };
        },
      }),
    };
    return { inputs, used };
  }

  test('is told once that no more is wanted, and not asked again', async () => {
    const service = heldService();
    const { inputs, used } = watched(100);
    const summary = clientOver(service.fetch).transactional.sendMany(inputs, { concurrency: 3 });
    await until(() => service.waiting().length === 3);
    for (const index of [0, 1, 2]) service.answer(index, refusal(402, 'quota_exceeded'));
    await summary;

    expect(used).toEqual({ next: 3, return: 1 });
  });

  test('that came to its end is told nothing more', async () => {
    const service = heldService();
    const { inputs, used } = watched(2);
    const summary = clientOver(service.fetch).transactional.sendMany(inputs, { concurrency: 3 });
    await until(() => used.next === 3);
    await settle();
    for (const index of [0, 1]) service.answer(index, refusal(402, 'quota_exceeded'));
    await summary;

    expect(used).toEqual({ next: 3, return: 0 });
  });

  test('that throws is told nothing more', async () => {
    let returned = 0;
    const inputs: AsyncIterable<SendInput> = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(new Error('line 1 of the file')),
        async return() {
          returned += 1;
          return { done: true, value: undefined };
        },
      }),
    };
    const { stoppedBecause } = await clientOver(async () => sent()).transactional.sendMany(inputs);

    expect(stoppedBecause?.reason).toBe('input_failed');
    expect(returned).toBe(0);
  });

  test('has ended its closing when the run has ended', async () => {
    let closed = false;
    async function* inputs() {
      try {
        yield* sends(100);
      } finally {
        await settle();
        closed = true;
      }
    }
    await clientOver(async () => refusal(402, 'quota_exceeded')).transactional.sendMany(inputs(), {
      concurrency: 1,
    });

    expect(closed).toBe(true);
  });
});

describe('leaving the loop', () => {
  test('begins no further item, and waits for those under way', async () => {
    let requests = 0;
    const run = clientOver(async () => {
      requests += 1;
      await settle();
      return sent();
    }).transactional.sendEach(sends(100), { concurrency: 4 });
    for await (const { status } of run) {
      expect(status).toBe('done');
      break;
    }
    const atTheEnd = requests;
    const summary = await run.summary();

    expect(requests).toBe(atTheEnd);
    expect(requests).toBeLessThan(20);
    expect(summary).toMatchObject({ done: requests, stoppedBecause: { reason: 'iteration_ended' } });
  });

  test('before its beginning begins nothing that is not ended', async () => {
    const run = clientOver(async () => sent()).transactional.sendEach(sends(3));
    const outcomes = run[Symbol.asyncIterator]();

    expect(await outcomes.return?.()).toEqual({ done: true, value: undefined });
    expect(await outcomes.next()).toEqual({ done: true, value: undefined });
    expect((await run.summary()).stoppedBecause?.reason).toBe('iteration_ended');
  });
});

describe('a checkpoint that cannot be saved', () => {
  test('ends the run: nothing goes out that is not recorded', async () => {
    let requests = 0;
    const { transactional } = clientOver(async () => {
      requests += 1;
      return sent();
    });
    const store = memoryCheckpoint();
    const full = new Error('no space left');
    const save = async () => {
      throw full;
    };
    const summary = await transactional.sendMany(sends(100), { checkpoint: { ...store, save } });

    expect(requests).toBe(0);
    expect(summary).toMatchObject({
      done: 0,
      rejected: 0,
      stoppedBecause: { reason: 'checkpoint_failed', error: full },
    });
  });

  test('in the end is told as well', async () => {
    const save = async () => {
      throw new Error('no space left');
    };
    const body = JSON.stringify({ id: 'c1', properties: {} });
    const { contacts } = clientOver(async () => new Response(body, { status: 201 }));
    const summary = await contacts.upsertMany([{ phone: '+15551234567' }], {
      checkpoint: { ...memoryCheckpoint(), save },
    });

    expect(summary).toMatchObject({ done: 1, stoppedBecause: { reason: 'checkpoint_failed' } });
  });
});
