import {
  type BulkProgress,
  InvalidInputError,
  NotFoundError,
  RequestError,
  type SendInput,
} from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { rejection } from '../support/service.js';
import {
  clientOver,
  collect,
  heldService,
  indexOf,
  phoneOf,
  refusal,
  sends,
  sent,
  until,
} from './support.js';

/** A number as it comes from a program without types. */
const textual = (value: number): number => JSON.parse(`"${value}"`);

describe('each item', () => {
  test('has one outcome, with its place, its input and what came of it', async () => {
    const { transactional } = clientOver(async (_, init) => {
      if (indexOf(init) === 1) return refusal(404, 'not_found');
      if (indexOf(init) === 2) return refusal(500, 'internal');
      return sent();
    });
    const inputs = [...sends(3), { phone: 'nonsense', templateId: 'welcome' }];
    const run = transactional.sendEach(inputs);
    const outcomes = (await collect(run)).sort((one, other) => one.index - other.index);

    expect(outcomes).toMatchObject([
      { index: 0, status: 'done', input: inputs[0], data: { success: true } },
      { index: 1, status: 'rejected', input: inputs[1], error: { status: 404, outcome: 'rejected' } },
      { index: 2, status: 'unknown', input: inputs[2], error: { status: 500, outcome: 'unknown' } },
      { index: 3, status: 'rejected', input: inputs[3], error: { name: 'InvalidInputError' } },
    ]);
    expect(await run.summary()).toMatchObject({
      done: 1,
      rejected: 2,
      unknown: 1,
      skipped: 0,
      stoppedBecause: undefined,
    });
  });

  test('is told in the order in which items end', async () => {
    const service = heldService();
    const run = clientOver(service.fetch).transactional.sendEach(sends(3), { concurrency: 3 });
    const outcomes = run[Symbol.asyncIterator]();
    const first = outcomes.next();
    await until(() => service.waiting().length === 3);
    service.answer(2);
    expect(await first).toMatchObject({ value: { index: 2 } });
    service.answer(0);
    expect(await outcomes.next()).toMatchObject({ value: { index: 0 } });
    service.answer(1);
    expect(await outcomes.next()).toMatchObject({ value: { index: 1 } });
    expect(await outcomes.next()).toEqual({ done: true, value: undefined });
  });

  test('is made by the single method, with its options', async () => {
    const requests: RequestInit[] = [];
    const { contacts } = clientOver(async (_, init) => {
      requests.push(init);
      return refusal(503, 'unavailable');
    });
    const { unknown } = await contacts.upsertMany([{ phone: phoneOf(0) }], {
      retries: 1,
      headers: { 'x-trace': 'import' },
    });

    expect(unknown).toBe(1);
    expect(requests.map(({ headers }) => new Headers(headers).get('x-trace'))).toEqual(['import', 'import']);
  });

  test('that is nothing at all is refused like any other wrong one, and ends nothing', async () => {
    const inputs: SendInput[] = JSON.parse('[null]');
    const run = clientOver(async () => sent()).transactional.sendEach([...inputs, ...sends(1)]);

    expect(await collect(run)).toMatchObject([
      { index: 0, status: 'rejected', input: null, error: { name: 'InvalidInputError' } },
      { index: 1, status: 'done' },
    ]);
  });

  test('that throws outside the client has an unknown outcome', async () => {
    const input = {
      templateId: 'welcome',
      get phone(): string {
        throw new Error('a getter of ours');
      },
    };
    const [outcome] = await collect(clientOver(async () => sent()).transactional.sendEach([input]));

    expect(outcome).toMatchObject({
      status: 'unknown',
      error: {
        message: 'transactional.send failed outside the client. It may have been carried out all the same.',
        operation: 'transactional.send',
        outcome: 'unknown',
        retryable: false,
        attempts: 0,
        cause: { message: 'a getter of ours' },
      },
    });
  });
});

describe('a run', () => {
  test('takes sync and async iterables, empty ones too', async () => {
    const { transactional } = clientOver(async () => sent());
    async function* rows() {
      yield* sends(5);
    }

    expect(await transactional.sendMany(rows())).toMatchObject({ done: 5 });
    expect(await transactional.sendMany(new Set(sends(4)))).toMatchObject({ done: 4 });
    expect(await transactional.sendMany([])).toMatchObject({ done: 0, stoppedBecause: undefined });
  });

  test('tells how far it has come, and no observer can end it', async () => {
    const told: BulkProgress[] = [];
    const { transactional } = clientOver(async (_, init) =>
      indexOf(init) === 1 ? refusal(404, 'not_found') : sent(),
    );
    const onProgress = (progress: BulkProgress) => {
      told.push(progress);
      if (told.length === 1) throw new Error('at once');
      return Promise.reject(new Error('and later'));
    };

    expect(await transactional.sendMany(sends(3), { concurrency: 1, onProgress })).toMatchObject({ done: 2 });
    expect(told).toMatchObject([
      { done: 1, rejected: 0, unknown: 0, skipped: 0 },
      { done: 1, rejected: 1, unknown: 0, skipped: 0 },
      { done: 2, rejected: 1, unknown: 0, skipped: 0 },
    ]);
  });

  test.each([
    [{ concurrency: 0 }, 'concurrency', 'must be a whole number, 1 or more'],
    [{ concurrency: 1.5 }, 'concurrency', 'must be a whole number, 1 or more'],
    [{ stopAfter: 0 }, 'stopAfter', 'must be a whole number, 1 or more, or Infinity'],
    [{ stopAfter: Number.NaN }, 'stopAfter', 'must be a whole number, 1 or more, or Infinity'],
    [{ patience: -1 }, 'patience', 'must be a number of milliseconds, 0 or more, or Infinity'],
    [{ patience: Number.NaN }, 'patience', 'must be a number of milliseconds, 0 or more, or Infinity'],
    [{ patience: textual(5) }, 'patience', 'must be a number of milliseconds, 0 or more, or Infinity'],
    [{ total: 0.5 }, 'total', 'must be a whole number, 0 or more'],
    [{ total: -1 }, 'total', 'must be a whole number, 0 or more'],
    [{ timeout: -1 }, 'timeout', 'must be a number of milliseconds above 0 and not above 2147483647'],
    [{ retries: 0.5 }, 'retries', 'must be a whole number, 0 or more'],
    [{ headers: { authorization: 'mine' } }, 'headers.authorization', expect.any(String)],
  ])('with wrong options (%j) rejects, and reads nothing', async (options, field, message) => {
    let read = 0;
    function* rows() {
      read += 1;
      yield* sends(1);
    }
    const { transactional } = clientOver(async () => sent());
    const run = () => transactional.sendEach(rows(), options);

    expect(await rejection(run().summary())).toBeInstanceOf(InvalidInputError);
    expect(await rejection(collect(run()))).toMatchObject({
      operation: 'transactional.sendMany',
      problems: [{ field, message }],
    });
    expect(read).toBe(0);
  });

  test('takes the least that each option may be', async () => {
    const { transactional } = clientOver(async () => sent());
    const options = { concurrency: 1, stopAfter: 1, patience: 0, total: 0 };

    expect(await transactional.sendMany(sends(2), options)).toMatchObject({ done: 2, percent: 100 });
  });

  test.each(['{}', 'null', '"+15551234567"', '5'])(
    'over %s, which is no list of items, rejects',
    async (text) => {
      const nothing: SendInput[] = JSON.parse(text);
      const run = clientOver(async () => sent()).transactional.sendMany(nothing);

      expect(await rejection(run)).toMatchObject({
        operation: 'transactional.sendMany',
        problems: [
          {
            field: 'inputs',
            message: 'must be an iterable or async iterable of inputs, such as an array or a generator',
          },
        ],
      });
    },
  );
});

test('errors of items hold no whole phone number', async () => {
  const { transactional } = clientOver(async (_, init) => refusal(404, `for ${String(init.body)}`));
  const [outcome] = await collect(transactional.sendEach(sends(1)));

  if (outcome?.status !== 'rejected') throw new Error('expected a rejection');
  expect(outcome.error).toBeInstanceOf(NotFoundError);
  expect(outcome.error).toBeInstanceOf(RequestError);
  expect(JSON.stringify(outcome.error) + outcome.error.stack).not.toContain('1000000');
});
