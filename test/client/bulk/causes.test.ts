import { InvalidInputError, type SendInput, UnusableResponseError } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import {
  clientOver,
  collect,
  connectionError,
  indexOf,
  memoryCheckpoint,
  phoneOf,
  refusal,
  sends,
  sent,
} from './support.js';

const page = (status: number) =>
  new Response('<html><h1>Bad Request</h1></html>', { status, headers: { 'content-type': 'text/html' } });

/** A client of a service that answers as told at the moment, and the items that were sent. */
function service(answer: (index: number) => Response) {
  const accepted: number[] = [];
  let respond = answer;
  const { transactional, contacts } = clientOver(async (_, init) => {
    const response = respond(indexOf(init));
    if (response.ok) accepted.push(indexOf(init));
    return response;
  });
  return {
    transactional,
    contacts,
    accepted,
    becomes(next: (index: number) => Response) {
      respond = next;
    },
  };
}

const everyIndex = (count: number) => Array.from({ length: count }, (_, index) => index);
const ascending = (numbers: readonly number[]) => [...numbers].sort((one, other) => one - other);

describe('a gateway that answers every send with a page of status 400', () => {
  test('stops the run, and closes no item', async () => {
    const checkpoint = memoryCheckpoint();
    const { transactional, accepted, becomes } = service(() => page(400));
    const first = await transactional.sendMany(sends(300), { checkpoint });

    expect(first.stoppedBecause).toMatchObject({
      reason: 'service_unavailable',
      error: { name: 'BadRequestError', status: 400 },
      index: expect.any(Number),
    });
    expect(first).toMatchObject({ done: 0, overall: { done: 0, rejected: 0, unknown: 0 } });
    expect(first.rejected).toBeLessThanOrEqual(10 + 8);
    expect(checkpoint.saved()).toMatchObject({ done: [], rejected: [], unknown: [] });

    becomes(() => sent());
    expect(await transactional.sendMany(sends(300), { checkpoint })).toMatchObject({
      done: 300,
      skipped: 0,
      overall: { done: 300 },
    });
    expect(ascending(accepted)).toEqual(everyIndex(300));
  });

  test('and of 502 leaves no more items unknown than stopAfter and those on the wire', async () => {
    const checkpoint = memoryCheckpoint();
    const { transactional, becomes, accepted } = service(() => page(502));
    const first = await transactional.sendMany(sends(100), { checkpoint, stopAfter: 4, concurrency: 3 });
    expect(first).toMatchObject({ unknown: 4, stoppedBecause: { reason: 'service_unavailable', index: 3 } });

    becomes(() => sent());
    const second = await transactional.sendMany(sends(100), { checkpoint });
    expect(second).toMatchObject({ done: 96, unknown: 4, overall: { done: 96, rejected: 0, unknown: 4 } });
    expect(ascending(accepted)).toEqual(everyIndex(100).slice(4));
  });

  test('that recovers before that costs only the items it hit, and lets the others wait', async () => {
    let failures = 0;
    const { transactional } = clientOver(async () => {
      failures += 1;
      return failures <= 9 ? page(400) : sent();
    });

    expect(await transactional.sendMany(sends(50), { concurrency: 4 })).toMatchObject({
      done: 41,
      rejected: 9,
      stoppedBecause: undefined,
    });
  });
});

test.each([
  ['no connection', () => Promise.reject(connectionError('ECONNREFUSED'))],
  ['a page of status 404', async () => page(404)],
  ['a page of status 422', async () => page(422)],
  ['a 404 that speaks of the path', async () => refusal(404, 'unknown_path')],
  ['JSON without a code', async () => Response.json({ message: 'no' }, { status: 400 })],
  ['a redirect', async () => new Response(null, { status: 302, headers: { location: '/' } })],
  ['a 500', async () => refusal(500, 'internal_error')],
  ['a code on another status', async () => refusal(405, 'method_not_allowed')],
])('%s, item after item, stops the run and closes nothing as rejected', async (_, answer) => {
  const checkpoint = memoryCheckpoint();
  const { transactional } = clientOver(answer);
  const summary = await transactional.sendMany(sends(100), { checkpoint, retries: 0, concurrency: 1 });

  expect(summary.stoppedBecause).toMatchObject({ reason: 'service_unavailable', index: 9 });
  expect(summary.rejected + summary.unknown).toBe(10);
  expect(checkpoint.saved()?.rejected).toEqual([]);
});

test('failures outside of the items that come now and then stop nothing', async () => {
  const { transactional } = service((index) => (index % 10 === 9 ? sent() : page(400)));
  const options = { concurrency: 1, stopAfter: 10 };

  expect(await transactional.sendMany(sends(100), options)).toMatchObject({
    done: 10,
    rejected: 90,
    stoppedBecause: undefined,
  });
});

test("the service's own word on an item shows that it is there", async () => {
  const { transactional } = service((index) => {
    if (index === 0) return sent();
    return index % 10 === 9 ? refusal(404, 'not_found') : page(400);
  });
  const options = { concurrency: 1, stopAfter: 10 };

  expect((await transactional.sendMany(sends(100), options)).stoppedBecause).toBeUndefined();
});

test('items that the client itself refuses, in between, show nothing of the service', async () => {
  const { transactional } = service((index) => (index === 0 ? sent() : page(400)));
  const inputs = sends(100).map((input, index) => (index % 2 === 1 ? { ...input, phone: 'Ada' } : input));
  const { stoppedBecause } = await transactional.sendMany(inputs, { concurrency: 1 });

  expect(stoppedBecause).toMatchObject({ reason: 'service_unavailable', index: 20 });
});

test('refusals after an attempt whose outcome is unknown are no word on the items', async () => {
  let requests = 0;
  const { contacts } = clientOver(async () => {
    requests += 1;
    return requests % 2 === 1 ? refusal(500, 'internal_error') : refusal(404, 'not_found');
  });
  const rows = sends(100).map(({ phone }) => ({ phone }));

  expect(await contacts.upsertMany(rows, { concurrency: 1, retries: 1 })).toMatchObject({
    unknown: 10,
    stoppedBecause: { reason: 'service_unavailable', index: 9 },
  });
});

describe('a template that is not approved', () => {
  test('stops the run after stopAfter sends, which stay open', async () => {
    const checkpoint = memoryCheckpoint();
    const { transactional, accepted, becomes } = service(() => refusal(422, 'send_failed'));
    const first = await transactional.sendMany(sends(300), { checkpoint, concurrency: 1 });

    expect(first).toMatchObject({
      rejected: 10,
      stoppedBecause: { reason: 'template_rejected', index: 9, error: { name: 'SendFailedError' } },
      overall: { done: 0, rejected: 0, unknown: 0 },
    });
    becomes(() => sent());
    expect(await transactional.sendMany(sends(300), { checkpoint })).toMatchObject({ done: 300 });
    expect(ascending(accepted)).toEqual(everyIndex(300));
  });

  test('is told apart from an approved one beside it', async () => {
    const inputs = everyIndex(100).map((index) => ({
      phone: phoneOf(index),
      templateId: index % 2 === 0 ? 'approved' : 'pending',
    }));
    const { transactional } = service((index) => (index % 2 === 0 ? sent() : refusal(422, 'send_failed')));

    expect(await transactional.sendMany(inputs, { concurrency: 1 })).toMatchObject({
      done: 10,
      stoppedBecause: { reason: 'template_rejected', index: 19 },
    });
  });

  test('is also one that the service does not know', async () => {
    const { transactional } = service(() => refusal(404, 'template_not_found'));

    expect((await transactional.sendMany(sends(20), { concurrency: 1 })).stoppedBecause).toMatchObject({
      reason: 'template_rejected',
    });
  });

  test('in the middle of a campaign closes none of the sends that it stopped at', async () => {
    const checkpoint = memoryCheckpoint();
    const { transactional } = service((index) => (index < 50 ? sent() : refusal(422, 'send_failed')));
    const summary = await transactional.sendMany(sends(100), { checkpoint, concurrency: 1 });

    expect(summary).toMatchObject({ done: 50, stoppedBecause: { reason: 'template_rejected', index: 59 } });
    expect(checkpoint.saved()?.rejected).toEqual([]);
  });

  test.each([
    ['few as they are', 9, {}],
    ['many as they are, where the run is told never to stop', 30, { stopAfter: Number.POSITIVE_INFINITY }],
  ])('leaves its sends open at the end of the input, %s', async (_, count, options) => {
    const checkpoint = memoryCheckpoint();
    const { transactional } = service(() => refusal(422, 'send_failed'));
    const summary = await transactional.sendMany(sends(count), { checkpoint, ...options });

    expect(summary).toMatchObject({ rejected: count, stoppedBecause: undefined });
    expect(checkpoint.saved()?.rejected).toEqual([]);
  });
});

describe('a send that is refused among others of its template that go out', () => {
  test('is closed once one of them has gone out', async () => {
    const checkpoint = memoryCheckpoint();
    const { transactional } = service((index) => (index < 9 ? refusal(422, 'send_failed') : sent()));
    await transactional.sendMany(sends(10), { checkpoint, concurrency: 1 });

    expect(checkpoint.saved()).toMatchObject({ done: [[9, 9]], rejected: [[0, 8]] });
  });

  test('is closed at the end of the input, when one went out before it', async () => {
    const checkpoint = memoryCheckpoint();
    const { transactional } = service((index) => (index > 0 ? refusal(422, 'send_failed') : sent()));
    const summary = await transactional.sendMany(sends(10), { checkpoint, concurrency: 1 });

    expect(summary.stoppedBecause).toBeUndefined();
    expect(checkpoint.saved()).toMatchObject({ done: [[0, 0]], rejected: [[1, 9]] });
  });
});

describe('items that are refused for what they are', () => {
  const absent = (index: number) => (index % 3 === 1 ? refusal(404, 'not_found') : sent());

  test('are closed, counted apart from those done, and skipped by the next run', async () => {
    const checkpoint = memoryCheckpoint();
    const { transactional } = service(absent);
    const inputs: readonly SendInput[] = [...sends(9), { phone: 'nonsense', templateId: 'welcome' }];
    const first = await transactional.sendMany(inputs, { checkpoint });
    const second = await transactional.sendMany(inputs, { checkpoint });

    expect(first).toMatchObject({ done: 6, rejected: 4, skipped: 0, overall: { done: 6, rejected: 4 } });
    expect(second).toMatchObject({ done: 0, rejected: 0, skipped: 10, overall: { done: 6, rejected: 4 } });
    expect(checkpoint.saved()?.rejected).toEqual([
      [1, 1],
      [4, 4],
      [7, 7],
      [9, 9],
    ]);
  });

  test('are taken up again with retryRejected, and no others', async () => {
    const checkpoint = memoryCheckpoint();
    const { transactional, accepted, becomes } = service(absent);
    await transactional.sendMany(sends(9), { checkpoint });
    becomes((index) => (index === 4 ? refusal(404, 'not_found') : sent()));
    const again = await transactional.sendMany(sends(9), { checkpoint, retryRejected: true });

    expect(again).toMatchObject({
      done: 2,
      rejected: 1,
      skipped: 6,
      overall: { done: 8, rejected: 1, unknown: 0 },
    });
    expect(checkpoint.saved()?.rejected).toEqual([[4, 4]]);
    expect(ascending(accepted)).toEqual(everyIndex(9).filter((index) => index !== 4));
  });

  test('stay rejected where retryRejected meets a cause outside of them', async () => {
    const checkpoint = memoryCheckpoint();
    const { transactional, becomes } = service(absent);
    await transactional.sendMany(sends(3), { checkpoint });
    becomes(() => page(400));
    await transactional.sendMany(sends(3), { checkpoint, retryRejected: true });

    expect(checkpoint.saved()).toMatchObject({
      done: [
        [0, 0],
        [2, 2],
      ],
      rejected: [[1, 1]],
      unknown: [],
    });
  });

  test.each([
    [400, 'invalid_request'],
    [409, 'conflict'],
    [413, 'payload_too_large'],
    [422, 'invalid_request'],
  ])('may say so with %d %s', async (status, code) => {
    const checkpoint = memoryCheckpoint();
    const { transactional } = service((index) => (index === 1 ? refusal(status, code) : sent()));
    await transactional.sendMany(sends(3), { checkpoint });

    expect(checkpoint.saved()?.rejected).toEqual([[1, 1]]);
  });

  test('one and all, from the first on, stop the run and stay open: perhaps the key is of another workspace', async () => {
    const checkpoint = memoryCheckpoint();
    const { transactional } = service(() => refusal(404, 'not_found'));
    const summary = await transactional.sendMany(sends(100), { checkpoint, concurrency: 1 });

    expect(summary).toMatchObject({
      rejected: 10,
      stoppedBecause: { reason: 'all_rejected', index: 9, error: { code: 'not_found' } },
      overall: { rejected: 0 },
    });
    expect(checkpoint.saved()?.rejected).toEqual([]);
  });

  test('do so only where all are refused with one and the same code', async () => {
    const { transactional } = service((index) =>
      index % 2 === 0 ? refusal(404, 'not_found') : refusal(400, 'invalid_request'),
    );
    const { stoppedBecause } = await transactional.sendMany(sends(100), { concurrency: 1 });

    expect(stoppedBecause).toMatchObject({ reason: 'all_rejected', index: 18, error: { code: 'not_found' } });
  });

  test('by the client itself do the same: perhaps the column is the wrong one', async () => {
    const { transactional } = service(() => sent());
    const inputs = everyIndex(100).map(() => ({ phone: 'Ada', templateId: 'welcome' }));
    const { stoppedBecause } = await transactional.sendMany(inputs, { concurrency: 1 });

    expect(stoppedBecause).toMatchObject({ reason: 'all_rejected', index: 9 });
    expect(stoppedBecause?.error).toBeInstanceOf(InvalidInputError);
  });

  test('in a row after one that went out stop nothing, in a later run neither', async () => {
    const checkpoint = memoryCheckpoint();
    const { transactional } = service((index) => (index === 0 ? sent() : refusal(404, 'not_found')));
    expect(await transactional.sendMany(sends(50), { checkpoint })).toMatchObject({ rejected: 49 });
    const again = await transactional.sendMany(sends(50), { checkpoint, retryRejected: true });

    expect(again).toMatchObject({ rejected: 49, skipped: 1, stoppedBecause: undefined });
  });
});

describe('{ success: false } with 200', () => {
  const denied = () => Response.json({ success: false });

  test('is never done: whether the message went out is unknown, and no run sends it again by itself', async () => {
    const checkpoint = memoryCheckpoint();
    const { transactional, becomes, accepted } = service((index) => (index === 1 ? denied() : sent()));
    const outcomes = await collect(transactional.sendEach(sends(3), { checkpoint }));
    becomes(() => sent());
    const later = await transactional.sendMany(sends(3), { checkpoint });

    expect(outcomes.find(({ index }) => index === 1)).toMatchObject({
      status: 'unknown',
      error: {
        name: 'UnusableResponseError',
        message:
          'transactional.send was answered with 200 and { success: false }, which the service does not document. ' +
          'It may have been carried out all the same: find out before making the call again.',
        operation: 'transactional.send',
        status: 200,
        attempts: 1,
        outcome: 'unknown',
        retryable: false,
        problems: [{ field: 'success', message: 'is false' }],
      },
    });
    expect(later).toMatchObject({ done: 0, unknown: 1, skipped: 2, overall: { done: 2, unknown: 1 } });
    expect(accepted).toHaveLength(3);
  });

  test('on item after item stops the run', async () => {
    const { transactional } = service(denied);
    const { stoppedBecause } = await transactional.sendMany(sends(100), { concurrency: 1 });

    expect(stoppedBecause).toMatchObject({ reason: 'service_unavailable', index: 9 });
    expect(stoppedBecause?.error).toBeInstanceOf(UnusableResponseError);
  });
});

test('an item that may have been sent before stays unknown when a later run is refused', async () => {
  const checkpoint = memoryCheckpoint();
  const { transactional, becomes } = service((index) =>
    index === 0 ? refusal(500, 'internal_error') : sent(),
  );
  await transactional.sendMany(sends(3), { checkpoint });
  becomes(() => refusal(404, 'not_found'));
  const [outcome] = await collect(transactional.sendEach(sends(3), { checkpoint, retryUnknown: true }));

  expect(outcome).toMatchObject({ index: 0, status: 'unknown', error: { code: 'not_found' } });
  expect(checkpoint.saved()).toMatchObject({ done: [[1, 2]], rejected: [], unknown: [[0, 0]] });
});

test('a checkpoint of version 1 is read: what it calls finished counts as done', async () => {
  const { transactional, accepted } = service(() => sent());
  const stored = {
    version: 1,
    operation: 'transactional.send',
    finished: [
      [0, 1],
      [4, 4],
    ],
    unknown: [[2, 2]],
  };
  const memory = memoryCheckpoint();
  const summary = await transactional.sendMany(sends(6), {
    checkpoint: { ...memory, load: async () => stored },
  });

  expect(summary).toMatchObject({
    done: 2,
    unknown: 1,
    skipped: 3,
    overall: { done: 5, rejected: 0, unknown: 1 },
  });
  expect(ascending(accepted)).toEqual([3, 5]);
  expect(memory.saved()).toMatchObject({
    version: 2,
    done: [
      [0, 1],
      [3, 5],
    ],
    unknown: [[2, 2]],
  });
});
