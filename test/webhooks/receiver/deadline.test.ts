import { ReceiverDeadlineError, ReceiverError, UnreadableBodyError } from 'messaging-automation/webhooks';
import { describe, expect, test, vi } from 'vitest';
import { ManualClock } from '../../server/support/manual-clock.js';
import { withResolvers } from '../../waiting.js';
import {
  bytesOf,
  handledBy,
  message,
  receiverOf,
  recordingStore,
  requestOf,
  secret,
  settled,
  slowReceiver,
  storeWith,
} from './receive.js';

const later = () => new Promise<never>(() => {});

describe('a handler that is not done at the deadline', () => {
  test('is reported at four fifths of it, told to stop, and responded with 503, so that the service tries again', async () => {
    const { clock, context, handling, log, receiver, status, statusAfter } = slowReceiver();
    const next = vi.fn();
    receiver.on('message.received', next);
    const work: Promise<unknown>[] = [];
    const response = receiver.receive(requestOf(message, { waitUntil: (promise) => work.push(promise) }));
    await clock.passSettled(3_599);
    expect(log).toEqual([]);
    clock.pass(1);
    expect(log).toEqual([['slow', message, context()]]);
    expect(context()?.remaining).toBe(900);
    await clock.passSettled(899);
    expect(context()?.signal.aborted).toBe(false);
    expect(context()?.signal).toBe(context()?.signal);
    clock.pass(1);
    expect(await response).toEqual({ status: 503, headers: {}, body: '' });
    expect(context()?.signal.aborted).toBe(true);
    expect(context()?.remaining).toBe(0);

    expect(await statusAfter(4_500, message)).toBe(503); // still at work
    expect(next).not.toHaveBeenCalled();
    handling.resolve();
    await Promise.all(work);
    expect(work).toHaveLength(1);
    expect(await status(message)).toBe(204); // done
    expect(next).toHaveBeenCalledOnce();
    expect(log).toHaveLength(1);
  });

  test('has a signal that is aborted even if it looks at it late only', async () => {
    const { context, statusAfter } = slowReceiver();
    await statusAfter(4_500, message);
    expect(context()?.signal.aborted).toBe(true);
  });
});

test('the response comes in time also by a clock that is set back meanwhile', async () => {
  const clock = new ManualClock();
  let setBack = 0;
  const { status } = handledBy(
    {
      clock: {
        now: () => clock.now() - setBack,
        setTimer: (callback, delay) => clock.setTimer(callback, delay),
      },
    },
    later,
  );
  const response = status(message);
  await settled();
  setBack = 3_600_000;
  clock.pass(3_600);
  clock.pass(900);
  expect(await response).toBe(503);
});

test('onSlowHandler is called at the deadline where the handlers start later than that', async () => {
  const body = withResolvers<Uint8Array>();
  const { clock, context, log, status } = slowReceiver();
  const response = status(message, { readBody: () => body.promise });
  await clock.passSettled(4_000);
  body.resolve(bytesOf(message));
  await settled();
  expect(log).toEqual([]);
  clock.pass(500);
  expect(await response).toBe(503);
  expect(log).toEqual([['slow', message, context()]]);
});

test('a handler that does not end is given up after a quarter of an hour: its claim too, and nothing renews it any more', async () => {
  const { calls, store } = recordingStore();
  const { clock, context, handling, handler, log, receiver, statusAfter } = slowReceiver({
    dedupe: store,
    onSlowHandler: () => {},
  });
  const next = vi.fn();
  receiver.on('message.received', next);
  expect(await statusAfter(4_500, message)).toBe(503);
  const { signal } = context() ?? {};
  await clock.passSettled(895_500 - 1);
  expect(log).toEqual([]);
  await clock.passSettled(1);
  expect(log).toMatchObject([
    ['error', { reason: 'handler_timeout' }, { event: message, willBeRetried: true }],
  ]);
  expect(log[0]?.[1]).toBeInstanceOf(ReceiverError);
  expect(signal?.aborted).toBe(true);
  expect(clock.waiting).toBe(0);
  expect(calls.filter((call) => !call.startsWith('renew'))).toEqual([
    expect.stringMatching(/^claim /),
    expect.stringMatching(/^release /),
  ]);

  handling.resolve(); // too late: the handlers after it do not start, and nothing is committed
  await settled();
  expect(next).not.toHaveBeenCalled();
  expect(calls.some((call) => call.startsWith('commit'))).toBe(false);
  expect(handler).toHaveBeenCalledOnce();
});

describe('what does not come in time before the handlers', () => {
  test.each([
    ['secret', { secret: later }, 'the secret. Cache the secrets of recent subscriptions.'],
    ['dedupe', { dedupe: storeWith({ claim: later }) }, 'the dedupe store. Check that it is up and near.'],
  ])('gets 503: the %s', async (stage, options, wait) => {
    const { log, statusAfter } = receiverOf(options);
    expect(await statusAfter(4_500, message)).toBe(503);
    expect(log).toEqual([['error', expect.any(ReceiverDeadlineError), expect.anything()]]);
    const text = `A delivery was not handled: its 4500 ms passed while waiting for ${wait}`;
    expect(log[0]).toMatchObject(['error', { stage, message: text }, { willBeRetried: true }]);
  });

  test('is a refusal where it is the body: nobody raises an alarm without a signature', async () => {
    const body = withResolvers<Uint8Array>();
    const { log, statusAfter } = receiverOf();
    expect(await statusAfter(4_500, message, { readBody: () => body.promise })).toBe(503);
    expect(log).toEqual([['refused', expect.any(UnreadableBodyError), 'the request']]);
    const text =
      'The body had not arrived 4500 ms after its headers. The sender, or something in between, is slow.';
    expect(log[0]).toMatchObject(['refused', { reason: 'stalled', message: text }, 'the request']);

    body.reject(new UnreadableBodyError('aborted', 'interrupted')); // reported already
    await settled();
    expect(log).toHaveLength(1);
  });

  test('starts no handler when it is the body, which comes after all', async () => {
    const body = withResolvers<Uint8Array>();
    const claim = vi.fn(async () => 'claimed' as const);
    const { statusAfter } = slowReceiver({ dedupe: storeWith({ claim }) });
    expect(await statusAfter(4_500, message, { readBody: () => body.promise })).toBe(503);
    body.resolve(bytesOf(message));
    await settled();
    expect(claim).not.toHaveBeenCalled();
  });

  test.each([
    [29_999, 'is handled, because no attempt may be left', [1, 0]],
    [30_000, 'is given up when a lease has passed', [0, 1]],
  ])('a claim that comes %i ms after the response %s', async (late, _, [handled, released]) => {
    const claim = withResolvers<'claimed'>();
    const release = vi.fn(async () => {});
    const dedupe = storeWith({ claim: () => claim.promise, release });
    const { clock, context, handler, receiver, statusAfter } = handledBy({ dedupe });
    expect(await statusAfter(4_500, message)).toBe(503);
    clock.pass(late - 1);
    claim.resolve('claimed');
    clock.pass(1);
    await settled();
    expect([handler.mock.calls.length, release.mock.calls.length]).toEqual([handled, released]);
    if (handled) expect(context()).toMatchObject({ remaining: Number.POSITIVE_INFINITY });
    expect(await receiver.drain({ timeout: 1 })).toEqual([]);
  });

  test('starts no handler without a dedupe store either', async () => {
    const found = withResolvers<string>();
    const { handler, statusAfter } = slowReceiver({ dedupe: false, secret: () => found.promise });
    expect(await statusAfter(4_500, message)).toBe(503);
    found.resolve(secret);
    await settled();
    expect(handler).not.toHaveBeenCalled();
  });
});

test('a store that does not release a claim is waited for as long as a lease', async () => {
  const { clock, log, receiver, statusAfter } = handledBy({ dedupe: storeWith({ release: later }) }, () =>
    Promise.reject(new Error('no room')),
  );
  expect(await statusAfter(4_500, message)).toBe(500);
  const drained = receiver.drain({ timeout: 60_000 });
  await clock.passSettled(25_499);
  expect(log).toHaveLength(1);
  clock.pass(1);
  expect(await drained).toEqual([]);
  const text =
    'The dedupe store did not confirm within 30000 ms that it recorded a handled delivery, or released a failed one. ' +
    'Check that the store is up and near.';
  expect(log.slice(1)).toMatchObject([
    ['error', { reason: 'store_fault', message: text }, { willBeRetried: true }],
  ]);
});

test.each([
  ['handled', async () => {}, 204],
  ['failed', () => Promise.reject(new Error('no room')), 500],
])(
  'a store that does not settle a delivery that was %s changes no response',
  async (_, handler, expected) => {
    const store = storeWith({ commit: later, release: later });
    const { log, statusAfter } = handledBy({ dedupe: store }, handler);
    expect(await statusAfter(4_500, message)).toBe(expected);
    expect(log.filter(([hook]) => hook === 'slow')).toEqual([]);
  },
);

describe('work that outlives the response', () => {
  test('keeps the platform up, and renews its claim', async () => {
    const { clock, context, handling, handler, receiver, status, statusAfter } = slowReceiver();
    const work: Promise<unknown>[] = [];
    const response = receiver.receive(requestOf(message, { waitUntil: (promise) => work.push(promise) }));
    await clock.passSettled(4_500);
    expect((await response).status).toBe(503);
    expect(context()?.remaining).toBe(0);
    expect(clock.waiting).toBe(2); // for the claim to be renewed and for the handlers' end
    expect(await statusAfter(4_500, message)).toBe(503); // a duplicate, while it is at work
    handling.resolve();
    await Promise.all(work);
    expect(await status(message)).toBe(204);
    expect(clock.waiting).toBe(0);
    expect(handler).toHaveBeenCalledOnce();
  });

  test("is given to the user's waitUntil where there is one, whose fault changes nothing", async () => {
    const waitUntil = vi.fn(() => {
      throw new Error('no such context');
    });
    const ofAdapter = vi.fn();
    const { handling, log, statusAfter } = slowReceiver({ onSlowHandler: () => {}, waitUntil });
    expect(await statusAfter(4_500, message, { waitUntil: ofAdapter })).toBe(503);
    expect(waitUntil).toHaveBeenCalledWith(expect.any(Promise), 'the request');
    expect(ofAdapter).not.toHaveBeenCalled();
    expect(log).toMatchObject([['error', { message: 'no such context' }, { willBeRetried: true }]]);
    handling.resolve();
  });
});
