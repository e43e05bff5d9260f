import { ApiError, NotFoundError, RateLimitError, ServerError, TimeoutError } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { eagerClock, manualClock } from './support/clocks.js';
import { answer, clientOf, faults, inTurn, phone, rejection, startService } from './support/service.js';

const contact = { id: 'c1', properties: { phone } };
const send = { phone, templateId: 'order_update' };

describe('the waits between attempts', () => {
  test('grow twofold up to the maximum, and chance takes up to a half of each', async () => {
    const waits = async (random: number) => {
      const clock = eagerClock();
      const service = await startService(answer(503));
      const backoff = { initial: 100, max: 350 };
      const messaging = clientOf(service, { clock, backoff, retries: 4, random: () => random });
      await rejection(messaging.templates.list());
      return clock.waits;
    };

    expect(await waits(0)).toEqual([100, 200, 350, 350]);
    expect(await waits(0.5)).toEqual([75, 150, 262.5, 262.5]);
  });

  test.each([
    ['in seconds', '3', [3_000, 3_125]],
    ['as a date', 'Thu, 01 Jan 2026 00:00:05 GMT', [5_000, 5_125]],
    ['shorter than the backoff', '0.4', [500, 525]],
    ['of zero', '0', [500, 375]],
    ['as a date gone by', 'Wed, 31 Dec 2025 23:59:00 GMT', [500, 375]],
  ])('are neither shorter than Retry-After %s nor than the backoff', async (_, retryAfter, expected) => {
    const waits = async (random: number) => {
      const clock = eagerClock();
      const service = await startService(
        inTurn(answer(429, {}, { 'retry-after': retryAfter }), answer(200, { success: true })),
      );
      await clientOf(service, { clock, random: () => random }).transactional.send(send);
      return clock.waits;
    };

    expect([...(await waits(0)), ...(await waits(0.5))]).toEqual(expected);
  });

  test.each(['soon', '-5', '', '7 seconds', 'in 7', 'a 12'])(
    'are the usual ones where Retry-After is "%s"',
    async (retryAfter) => {
      const clock = eagerClock();
      const service = await startService(
        inTurn(answer(503, {}, { 'retry-after': retryAfter }), answer(200, [])),
      );

      await clientOf(service, { clock, random: () => 0 }).templates.list();
      expect(clock.waits).toEqual([500]);
    },
  );

  test('are not made where Retry-After is longer than maxRetryAfter', async () => {
    const service = await startService(answer(429, {}, { 'retry-after': '9' }));
    const messaging = clientOf(service, { clock: eagerClock(), maxRetryAfter: 8_000 });
    const error = await rejection(messaging.templates.list());

    expect(service.requests).toHaveLength(1);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfter: 9_000, retryable: true });
  });

  test.each([
    ['8', 8_000],
    ['60', undefined],
  ])('are made where Retry-After is %s s and maxRetryAfter is %s', async (retryAfter, maxRetryAfter) => {
    const clock = manualClock();
    const service = await startService(
      inTurn(answer(429, {}, { 'retry-after': retryAfter }), answer(200, [])),
    );
    const messaging = clientOf(service, { clock, maxRetryAfter, timeout: 100_000, random: () => 0 });
    const templates = messaging.templates.list();
    await service.received(1);
    while (clock.timers() < 2) await new Promise(setImmediate); // until it waits for the second attempt
    clock.advance(Number(retryAfter) * 1_000);

    expect(await templates).toEqual([]);
  });

  test('are a minute at the most unless maxRetryAfter says otherwise', async () => {
    const service = await startService(answer(429, {}, { 'retry-after': '60.001' }));
    const messaging = clientOf(service, { clock: manualClock(), timeout: 100_000 });

    expect(await rejection(messaging.templates.list())).toMatchObject({ retryAfter: 60_001, attempts: 1 });
  });

  test('are not made where they would outlast the deadline: the error comes at once', async () => {
    const service = await startService(answer(503, {}, { 'retry-after': '6' }));
    const messaging = clientOf(service, { clock: manualClock(), timeout: 5_000 });

    expect(await rejection(messaging.templates.list())).toBeInstanceOf(ServerError);
    expect(service.requests).toHaveLength(1);
  });
});

test('a retry that would begin at the very deadline is not made', async () => {
  const service = await startService(answer(429, {}, { 'retry-after': '3' }));
  const options = { clock: manualClock(), timeout: 3_000, random: () => 0 };

  expect(await rejection(clientOf(service, options).templates.list())).toMatchObject({
    name: 'RateLimitError',
    attempts: 1,
  });
});

test('one deadline covers all attempts', async () => {
  const clock = manualClock();
  const service = await startService(inTurn(answer(503, {}, { 'retry-after': '4' }), faults.stall));
  const messaging = clientOf(service, { clock, timeout: 5_000, random: () => 0 });
  const failed = rejection(messaging.templates.list());
  await service.received(1);
  while (clock.timers() < 2) await new Promise(setImmediate); // until it waits for the second attempt
  clock.advance(4_000);
  await service.received(2);
  clock.advance(1_000);

  expect(await failed).toBeInstanceOf(TimeoutError);
  expect(await failed).toMatchObject({ attempts: 2, outcome: 'unknown', retryable: true });
});

test('a call that is aborted between a failed answer and the wait makes no further attempt', async () => {
  const controller = new AbortController();
  const service = await startService(answer(503));
  const random = () => {
    controller.abort('enough');
    return 0;
  };
  const failed = rejection(clientOf(service, { random }).templates.list({ signal: controller.signal }));

  expect(await failed).toBe('enough');
  expect(service.requests).toHaveLength(1);
});

test('a jump of the wall clock neither ends the retries nor makes the call longer', async () => {
  for (const jump of [-3_600_000, 3_600_000]) {
    const steady = manualClock();
    const started = steady.now();
    let wall = started;
    const clock = { ...steady, monotonic: () => steady.now() - started, now: () => wall };
    const service = await startService(
      inTurn(
        (response, request, number) => {
          wall += jump;
          answer(503)(response, request, number);
        },
        answer(200, []),
      ),
    );
    const templates = clientOf(service, { clock, timeout: 5_000, random: () => 0 }).templates.list();
    await service.received(1);
    while (steady.timers() < 2) await new Promise(setImmediate); // until it waits for the second attempt
    steady.advance(500);

    expect(await templates).toEqual([]);
  }
});

test.each([501, 505])('a %i is final', async (status) => {
  const service = await startService(answer(status));
  const error = await rejection(clientOf(service, { clock: eagerClock() }).templates.list());

  expect(error).toBeInstanceOf(ServerError);
  expect(error).toMatchObject({ status, outcome: 'unknown', retryable: false, attempts: 1 });
  expect(service.requests).toHaveLength(1);
});

test.each([
  [300, 'rejected'],
  [301, 'rejected'],
  [302, 'unknown'],
  [303, 'unknown'],
  [307, 'rejected'],
  [308, 'rejected'],
])('a %i after a send leaves the outcome %s', async (status, outcome) => {
  const service = await startService(answer(status, '', { location: '/elsewhere' }));
  const error = await rejection(clientOf(service, { clock: eagerClock() }).transactional.send(send));

  expect(error).toMatchObject({ status, outcome, retryable: false, attempts: 1 });
  expect(service.requests).toHaveLength(1);
});

describe('a call that is aborted rejects with the reason as it is, and tells its outcome', () => {
  test('before anything was sent', async () => {
    const service = await startService(faults.stall);
    const call = clientOf(service).transactional.send(send, { signal: AbortSignal.abort('enough') });

    expect(await rejection(call)).toBe('enough');
    expect(call.outcome).toBe('not_sent');
    expect(service.requests).toHaveLength(0);
  });

  test('while it waits for its answer', async () => {
    const controller = new AbortController();
    const service = await startService(faults.stall);
    const call = clientOf(service).transactional.send(send, { signal: controller.signal });
    const failed = rejection(call.withResponse());
    await service.received(1);
    controller.abort('enough');

    expect(await failed).toBe('enough');
    expect(call.outcome).toBe('unknown');
  });

  test('while it waits for its next attempt', async () => {
    const controller = new AbortController();
    const clock = manualClock();
    const service = await startService(answer(429));
    const call = clientOf(service, { clock }).transactional.send(send, { signal: controller.signal });
    const failed = rejection(call);
    while (clock.timers() < 2) await new Promise(setImmediate); // until it waits for the second attempt
    controller.abort('enough');

    expect(await failed).toBe('enough');
    expect(call.outcome).toBe('rejected');
  });

  test('and one that fails or succeeds does so too', async () => {
    const service = await startService(inTurn(answer(402), answer(200, { success: true })));
    const messaging = clientOf(service);
    const failing = messaging.transactional.send(send);
    expect(await rejection(failing)).toMatchObject({ outcome: 'rejected' });
    expect(failing.outcome).toBe('rejected');
    const succeeding = messaging.transactional.send(send);
    await succeeding;
    expect(succeeding.outcome).toBeUndefined();
  });
});

test('a later attempt that succeeds is a success', async () => {
  const service = await startService(inTurn(faults.reset, answer(500), answer(201, contact)));
  const messaging = clientOf(service, { clock: eagerClock() });
  const { data, attempts } = await messaging.contacts.upsert({ phone }).withResponse();

  expect(data).toEqual(contact);
  expect(attempts).toBe(3);
});

test('the outcome stays unknown once an answer was lost', async () => {
  const service = await startService(inTurn(faults.reset, answer(429)));
  const messaging = clientOf(service, { clock: eagerClock() });

  expect(await rejection(messaging.contacts.upsert({ phone }))).toMatchObject({
    status: 429,
    outcome: 'unknown',
  });
});

test('an answer that is final is not asked for again', async () => {
  for (const status of [301, 307, 308, 400, 401, 402, 403, 404, 409, 413, 422]) {
    const service = await startService(answer(status, {}, { location: '/elsewhere' }));
    const error = await rejection(clientOf(service, { clock: eagerClock() }).contacts.upsert({ phone }));

    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status, outcome: 'rejected', retryable: false, attempts: 1 });
    expect(service.requests).toHaveLength(1);
  }
});

describe.each([
  ['contacts', 'contacts.delete'],
  ['webhooks', 'webhooks.delete'],
] as const)('%s.delete', (resource, operation) => {
  test('is done when an answer was lost and the repetition finds nothing', async () => {
    const service = await startService(inTurn(faults.reset, answer(404, { error: { code: 'not_found' } })));
    const messaging = clientOf(service, { clock: eagerClock() });

    expect(await messaging[resource].delete('x1').withResponse()).toMatchObject({
      data: undefined,
      attempts: 2,
    });
  });

  test.each([
    ['the first answer is a 404', [answer(404, { code: 'not_found' })]],
    ['the attempt before was turned away', [answer(429), answer(404, { code: 'not_found' })]],
  ])('fails when %s', async (_, behaviours) => {
    const service = await startService(inTurn(...behaviours));
    const error = await rejection(clientOf(service, { clock: eagerClock() })[resource].delete('x1'));

    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ operation, status: 404 });
  });
});
