import { type BulkProgress, InvalidInputError, type SendInput } from 'messaging-automation';
import { describe, expect, test, vi } from 'vitest';
import { settle, until } from '../../waiting.js';
import { manualClock } from '../support/clocks.js';
import { rejection } from '../support/service.js';
import { sends } from './items.js';
import { refusal, sent } from './responses.js';
import { clientOver, collect, heldService, responding } from './runs.js';

describe('each item', () => {
  test('has one outcome, with its index, its input and its result', async () => {
    const { transactional } = responding((index) => {
      if (index === 1) return refusal(404, 'not_found');
      return index === 2 ? refusal(500, 'internal') : sent();
    });
    const inputs: SendInput[] = [
      ...sends(3),
      { phone: 'nonsense', templateId: 'welcome' },
      ...JSON.parse('[null]'),
    ];
    const run = transactional.sendEach(inputs);
    const outcomes = (await collect(run)).sort((one, other) => one.index - other.index);

    expect(outcomes).toMatchObject([
      { index: 0, status: 'done', input: inputs[0], data: { success: true } },
      { index: 1, status: 'rejected', input: inputs[1], error: { status: 404, outcome: 'rejected' } },
      { index: 2, status: 'unknown', input: inputs[2], error: { status: 500, outcome: 'unknown' } },
      { index: 3, status: 'rejected', input: inputs[3], error: { name: 'InvalidInputError' } },
      { index: 4, status: 'rejected', input: null, error: { name: 'InvalidInputError' } },
    ]);
    const counts = { done: 1, rejected: 3, unknown: 1, skipped: 0 };
    expect(await run.summary()).toMatchObject({ ...counts, stoppedBecause: undefined });
  });

  test('is called in the order in which items end', async () => {
    const service = heldService();
    const run = clientOver(service.fetch).transactional.sendEach(sends(3), { concurrency: 3 });
    const outcomes = run[Symbol.asyncIterator]();
    const first = outcomes.next();
    await service.holds(3);
    await service.response(2);
    expect(await first).toMatchObject({ value: { index: 2 } });
    await service.response(0);
    expect(await outcomes.next()).toMatchObject({ value: { index: 0 } });
    await service.response(1);
    expect(await outcomes.next()).toMatchObject({ value: { index: 1 } });
    expect(await outcomes.next()).toEqual({ done: true, value: undefined });
  });

  test('has the timeout of the options', async () => {
    const clock = manualClock();
    const service = heldService();
    const { transactional } = clientOver(service.fetch, { clock });
    const outcomes = collect(transactional.sendEach(sends(1), { timeout: 2_000 }));
    await service.holds(1);
    clock.advance(1_999);
    expect(clock.timers()).toBe(1);
    clock.advance(1);
    expect(clock.timers()).toBe(0);
    expect(await outcomes).toMatchObject([{ status: 'unknown', error: { name: 'TimeoutError' } }]);
  });

  test('that cannot be read is rejected, and nothing of it was sent', async () => {
    const input = {
      templateId: 'welcome',
      get phone(): string {
        throw new Error('no row for +15551234567');
      },
    };
    const [outcome] = await collect(responding(sent).transactional.sendEach([input]));

    expect([outcome?.status, outcome && 'error' in outcome && outcome.error]).toMatchObject([
      'rejected',
      {
        message:
          'transactional.send was not sent: the input cannot be read or written as JSON: a field or its check throws an error, or something refers to itself.',
        outcome: 'not_sent',
        attempts: 0,
        cause: { message: expect.not.stringContaining('+15551234567') },
      },
    ]);
  });
});

describe('a run', () => {
  test('takes sync and async iterables, empty ones too', async () => {
    const { sendMany } = responding(sent);
    async function* rows() {
      yield* sends(5);
    }

    expect(await sendMany(rows())).toMatchObject({ done: 5 });
    expect(await sendMany(new Set(sends(4)))).toMatchObject({ done: 4 });
    expect(await sendMany([])).toMatchObject({ done: 0, stoppedBecause: undefined });
  });

  test('tells its progress after each item, and no observer can end it', async () => {
    const told: BulkProgress[] = [];
    const { sendMany } = responding((index) => (index === 1 ? refusal(404, 'not_found') : sent()));
    const onProgress = (progress: BulkProgress) => {
      told.push(progress);
      if (told.length === 1) throw new Error('at once');
      return Promise.reject(new Error('and later'));
    };

    expect(await sendMany(sends(3), { concurrency: 1, onProgress })).toMatchObject({ done: 2 });
    expect(told).toMatchObject([
      { done: 1, rejected: 0, unknown: 0, skipped: 0 },
      { done: 1, rejected: 1, unknown: 0, skipped: 0 },
      { done: 2, rejected: 1, unknown: 0, skipped: 0 },
    ]);
  });

  const whole = 'must be a whole number, 1 or more';
  const milliseconds = 'must be a number of milliseconds, 0 or more, or Infinity';
  test.each([
    [{ concurrency: 0 }, 'concurrency', whole],
    [{ maxConsecutiveFailures: 0 }, 'maxConsecutiveFailures', `${whole}, or Infinity`],
    [{ maxRateLimitWait: -1 }, 'maxRateLimitWait', milliseconds],
    [{ total: 0.5 }, 'total', 'must be a whole number, 0 or more'],
    [{ timeout: -1 }, 'timeout', 'must be a number of milliseconds above 0 and not above 2147483647'],
    [{ retries: 0.5 }, 'retries', 'must be a whole number, 0 or more'],
    [{ headers: { authorization: 'mine' } }, 'headers.authorization', 'leave it out'],
  ])('with wrong options (%j) rejects, and reads nothing', async (options, field, message) => {
    let read = 0;
    function* rows() {
      read += 1;
      yield* sends(1);
    }
    const run = () => responding(sent).transactional.sendEach(rows(), options);

    expect(await rejection(run().summary())).toBeInstanceOf(InvalidInputError);
    expect(await rejection(collect(run()))).toMatchObject({
      operation: 'transactional.sendMany',
      problems: [{ field, message: expect.stringContaining(message) }],
    });
    expect(read).toBe(0);
  });

  test.each(['{}', '"+15551234567"'])('over %s, which is no list of items, rejects', async (text) => {
    const nothing: SendInput[] = JSON.parse(text);
    const message = 'must be an iterable or async iterable of inputs, such as an array or a generator';

    expect(await rejection(responding(sent).sendMany(nothing))).toMatchObject({
      operation: 'transactional.sendMany',
      problems: [{ field: 'inputs', message: expect.stringContaining(message) }],
    });
  });
});

test('sendMany starts at once, and gives a promise like any other, which nobody need await', async () => {
  const { sendMany, requests } = responding(sent);
  const ended = vi.fn();
  void sendMany(sends(3)).finally(ended);
  const summary = await sendMany(sends(3)).catch(() => undefined);
  await until('all requests', () => requests.length === 6);

  expect(summary).toMatchObject({ done: 3, stoppedBecause: undefined });
  await settle();
  expect(ended).toHaveBeenCalledOnce();
});

test('sendEach starts with the loop or with summary(), also after an async function returned it, and once', async () => {
  const { transactional, requests } = responding(sent);
  const start = async () => transactional.sendEach(sends(3));
  const looped = await start();
  const summed = await start();
  await settle();
  expect(requests).toEqual([]);

  expect(await collect(looped)).toHaveLength(3);
  expect(await looped.summary()).toMatchObject({ done: 3 });
  expect(await Promise.all([summed.summary(), summed.summary()])).toMatchObject([{ done: 3 }, { done: 3 }]);
  expect(requests).toEqual([0, 1, 2, 0, 1, 2]);
  expect(() => summed[Symbol.asyncIterator]()).toThrow(
    new TypeError('A bulk run yields its outcomes once: iterate it before you call summary().'),
  );
});

test('promises as items that reject end the run as an input that throws does, and close the input', async () => {
  const broken = new Error('no such row');
  let closed = false;
  function* inputs() {
    try {
      yield* sends(1);
      yield Promise.reject(broken);
      yield* sends(1);
    } finally {
      closed = true;
    }
  }
  const { sendMany, requests } = responding(sent);

  expect(await sendMany(inputs())).toMatchObject({
    done: 1,
    stoppedBecause: { reason: 'input_failed', error: broken, index: 1 },
  });
  expect(requests).toEqual([0]);
  expect(closed).toBe(true);
});
