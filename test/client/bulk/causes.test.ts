import {
  type BulkCheckpoint,
  type BulkSummary,
  InvalidInputError,
  type SendInput,
  type SendManyOptions,
  UnusableResponseError,
} from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { ascending, indices, phoneOf, rows, sends } from './items.js';
import { connectionError, page, refusal, sent } from './responses.js';
import { collect, responding } from './runs.js';

const absent = () => refusal(404, 'not_found');
const refusedSend = () => refusal(422, 'send_failed');
const denied = () => Response.json({ success: false });

/** Sends of two templates in turn: the even ones of the one, the odd ones of the other. */
const ofTwoTemplates = (count: number, even: string, odd: string): readonly SendInput[] =>
  indices(count).map((index) => ({ phone: phoneOf(index), templateId: index % 2 === 0 ? even : odd }));

/** A run, one item after the other, and what it leaves behind. */
interface Case {
  readonly inputs: readonly SendInput[];
  readonly response: (index: number) => Response;
  readonly options?: SendManyOptions;
  readonly summary?: Partial<BulkSummary>;
  readonly stopped?: { readonly reason: string; readonly index: number; readonly error?: unknown };
  readonly saved?: Partial<BulkCheckpoint>;
}

const cases: Readonly<Record<string, Case>> = {
  'failures outside the items, now and then, stop nothing': {
    inputs: sends(100),
    response: (index) => (index % 10 === 9 ? sent() : page(400)),
    summary: { done: 10, rejected: 90 },
  },
  'an error of the service about an item shows that the service is there': {
    inputs: sends(100),
    response: (index) => (index === 0 ? sent() : index % 10 === 9 ? absent() : page(400)),
  },
  'a refused template shows that the service is there': {
    inputs: sends(40),
    response: (index) => (index === 0 ? sent() : index % 10 === 9 ? refusedSend() : page(400)),
  },
  'items that the client itself refuses show nothing of the service': {
    inputs: sends(100).map((input, index) => (index % 2 === 1 ? { ...input, phone: 'Ada' } : input)),
    response: (index) => (index === 0 ? sent() : page(400)),
    stopped: { reason: 'service_unavailable', index: 20 },
  },
  'a template that is not approved is told apart from an approved one beside it': {
    inputs: ofTwoTemplates(100, 'approved', 'pending'),
    response: (index) => (index % 2 === 0 ? sent() : refusedSend()),
    summary: { done: 10 },
    stopped: { reason: 'template_rejected', index: 19 },
    saved: { rejected: [] },
  },
  'a template that is not approved stops the run after maxConsecutiveFailures sends, which stay open': {
    inputs: sends(300),
    response: refusedSend,
    summary: { rejected: 10, overall: { done: 0, rejected: 0, unknown: 0 } },
    stopped: { reason: 'template_rejected', index: 9, error: { name: 'SendFailedError' } },
    saved: { rejected: [] },
  },
  'a refused send is closed once another of its template has gone out': {
    inputs: sends(10),
    response: (index) => (index < 9 ? refusedSend() : sent()),
    saved: { done: [[9, 9]], rejected: [[0, 8]] },
  },
  'a template that the service does not know is like one that is not approved': {
    inputs: sends(20),
    response: () => refusal(404, 'template_not_found'),
    stopped: { reason: 'template_rejected', index: 9 },
  },
  'a template refused in the middle of a campaign closes none of the sends that it stopped at': {
    inputs: sends(100),
    response: (index) => (index < 50 ? sent() : refusedSend()),
    summary: { done: 50 },
    stopped: { reason: 'template_rejected', index: 59 },
    saved: { rejected: [] },
  },
  'a refused template leaves its sends open at the end of the input, few as they are': {
    inputs: sends(9),
    response: refusedSend,
    summary: { rejected: 9 },
    saved: { rejected: [] },
  },
  'a refused send is closed at the end of the input, when one of its template went out before it': {
    inputs: sends(10),
    response: (index) => (index > 0 ? refusedSend() : sent()),
    saved: { done: [[0, 0]], rejected: [[1, 9]] },
  },
  'all items refused with one code from the first on stop the run and stay open: the key may be wrong': {
    inputs: sends(100),
    response: absent,
    summary: { rejected: 10, overall: { done: 0, rejected: 0, unknown: 0 } },
    stopped: { reason: 'all_rejected', index: 9, error: { code: 'not_found' } },
    saved: { rejected: [] },
  },
  'items refused from the first on are closed at the end of an input shorter than maxConsecutiveFailures': {
    inputs: sends(5),
    response: (index) => (index < 4 ? absent() : refusal(400, 'invalid_request')),
    summary: { rejected: 5 },
    saved: { rejected: [[0, 4]] },
  },
  'items refused with different codes count apart': {
    inputs: sends(100),
    response: (index) => (index % 2 === 0 ? absent() : refusal(400, 'invalid_request')),
    stopped: { reason: 'all_rejected', index: 18, error: { code: 'not_found' } },
  },
  'items refused by the client itself stop the run too: the column may be wrong': {
    inputs: sends(100).map((input) => ({ ...input, phone: 'Ada' })),
    response: sent,
    stopped: { reason: 'all_rejected', index: 9, error: expect.any(InvalidInputError) },
  },
  '{ success: false } on item after item stops the run': {
    inputs: sends(100),
    response: denied,
    stopped: { reason: 'service_unavailable', index: 9, error: expect.any(UnusableResponseError) },
  },
};

test.each(Object.entries(cases))('%s', async (_, { inputs, response, options, summary, stopped, saved }) => {
  const { checkpoint, sendMany } = responding(response);
  const result = await sendMany(inputs, { checkpoint, concurrency: 1, ...options });

  if (stopped) expect(result.stoppedBecause).toMatchObject(stopped);
  else expect(result.stoppedBecause).toBeUndefined();
  expect(result).toMatchObject(summary ?? {});
  expect(checkpoint.saved()).toMatchObject(saved ?? {});
});

test.each([
  ['no connection', () => Promise.reject(connectionError('ECONNREFUSED'))],
  ['a page of status 400', () => page(400)],
  ['a 404 that speaks of the path', () => refusal(404, 'unknown_path')],
  ['a redirect', () => new Response(null, { status: 302, headers: { location: '/' } })],
  ['a 500', () => refusal(500, 'internal_error')],
  ['a code on another status', () => refusal(405, 'method_not_allowed')],
])('%s, item after item, stops the run and closes nothing as rejected', async (_, response) => {
  const { checkpoint, sendMany } = responding(response);
  const summary = await sendMany(sends(100), { checkpoint, retries: 0, concurrency: 1 });

  expect(summary.stoppedBecause).toMatchObject({ reason: 'service_unavailable', index: 9 });
  expect(summary.rejected + summary.unknown).toBe(10);
  expect(checkpoint.saved()?.rejected).toEqual([]);
});

test('a gateway that responds with pages leaves no more items unknown than maxConsecutiveFailures and those under way', async () => {
  const { checkpoint, sendMany, becomes, accepted } = responding(() => page(502));
  const first = await sendMany(sends(100), { checkpoint, maxConsecutiveFailures: 4, concurrency: 3 });
  expect(first).toMatchObject({ unknown: 4, stoppedBecause: { reason: 'service_unavailable', index: 3 } });

  becomes(sent);
  const second = await sendMany(sends(100), { checkpoint });
  expect(second).toMatchObject({ done: 96, unknown: 4, overall: { done: 96, rejected: 0, unknown: 4 } });
  expect(ascending(accepted)).toEqual(indices(100).slice(4));
});

test('rejections after an attempt whose outcome is unknown say nothing about the items', async () => {
  const { upsertMany } = responding((_, number) =>
    number % 2 === 1 ? refusal(500, 'internal_error') : absent(),
  );

  expect(await upsertMany(rows(100), { concurrency: 1, retries: 1 })).toMatchObject({
    unknown: 10,
    stoppedBecause: { reason: 'service_unavailable', index: 9 },
  });
});

describe('items that are refused for their own content', () => {
  const everyThirdAbsent = (index: number) => (index % 3 === 1 ? absent() : sent());

  test('are closed, counted apart from those done, and skipped by the next run', async () => {
    const { checkpoint, sendMany } = responding(everyThirdAbsent);
    const inputs = [...sends(9), { phone: 'nonsense', templateId: 'welcome' }];
    const first = await sendMany(inputs, { checkpoint });
    const second = await sendMany(inputs, { checkpoint });

    expect(first).toMatchObject({ done: 6, rejected: 4, skipped: 0, overall: { done: 6, rejected: 4 } });
    expect(second).toMatchObject({ done: 0, rejected: 0, skipped: 10, overall: { done: 6, rejected: 4 } });
    expect(checkpoint.saved()?.rejected.flat()).toEqual([1, 1, 4, 4, 7, 7, 9, 9]);
  });

  test('stop no later run, once one item of the job went out', async () => {
    const { checkpoint, sendMany } = responding((index) => (index === 0 ? sent() : absent()));
    await sendMany(sends(50), { checkpoint });
    const again = await sendMany(sends(50), { checkpoint, retryRejected: true });

    expect(again).toMatchObject({ rejected: 49, skipped: 1, stoppedBecause: undefined });
  });

  test('are taken up again with retryRejected, and no others', async () => {
    const { checkpoint, sendMany, accepted, becomes } = responding(everyThirdAbsent);
    await sendMany(sends(9), { checkpoint });
    becomes((index) => (index === 4 ? absent() : sent()));
    const again = await sendMany(sends(9), { checkpoint, retryRejected: true });

    expect(again).toMatchObject({ done: 2, rejected: 1, skipped: 6, overall: { done: 8, rejected: 1 } });
    expect(checkpoint.saved()?.rejected).toEqual([[4, 4]]);
    expect(ascending(accepted)).toEqual(indices(9).filter((index) => index !== 4));
  });
});

test.each([
  [400, 'invalid_request'],
  [413, 'payload_too_large'],
  [422, 'invalid_request'],
])('an item is refused for its own content where the response is %d %s', async (status, code) => {
  const { checkpoint, sendMany } = responding((index) => (index === 1 ? refusal(status, code) : sent()));
  await sendMany(sends(3), { checkpoint });

  expect(checkpoint.saved()?.rejected).toEqual([[1, 1]]);
});

test.each(['{"success":false}', '{"success":"true"}', '{"error":{"code":"send_failed"}}', '{}', 'OK', ''])(
  'a send that gets 200 and %j is never done, and no run sends it again by itself',
  async (body) => {
    const { checkpoint, sendMany, transactional, becomes, accepted } = responding((index) =>
      index === 1 ? new Response(body) : sent(),
    );
    const outcomes = await collect(transactional.sendEach(sends(3), { checkpoint }));
    becomes(sent);
    const later = await sendMany(sends(3), { checkpoint });

    expect(outcomes.find(({ index }) => index === 1)).toMatchObject({
      status: 'unknown',
      error: {
        name: 'UnusableResponseError',
        message:
          'transactional.send returned 200 with a body that does not say success: true. ' +
          'The service may have processed it. Check before you retry.',
        operation: 'transactional.send',
        status: 200,
        attempts: 1,
        outcome: 'unknown',
        retryable: false,
        problems: [{ field: 'success', message: 'is not true' }],
      },
    });
    expect(later).toMatchObject({ done: 0, unknown: 1, skipped: 2, overall: { done: 2, unknown: 1 } });
    expect(accepted).toHaveLength(3);
  },
);

test('an item that may have been sent before stays unknown when a later run is refused', async () => {
  const { checkpoint, sendMany, transactional, becomes } = responding((index) =>
    index === 0 ? refusal(500, 'internal_error') : sent(),
  );
  await sendMany(sends(3), { checkpoint });
  becomes(absent);
  const [outcome] = await collect(transactional.sendEach(sends(3), { checkpoint, retryUnknown: true }));

  expect(outcome).toMatchObject({ index: 0, status: 'unknown', error: { code: 'not_found' } });
  expect(checkpoint.saved()).toMatchObject({ done: [[1, 2]], rejected: [], unknown: [[0, 0]] });
});
