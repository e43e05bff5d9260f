import {
  createMemoryDedupeStore,
  ReceiverDeadlineError,
  ReceiverError,
  signWebhook,
  type WebhookJob,
  type WebhookReceiverOptions,
  WebhookVerificationError,
} from 'messaging-automation/webhooks';
import { describe, expect, test, vi } from 'vitest';
import { withResolvers } from '../../waiting.js';
import {
  handledBy,
  message,
  receiverOf,
  recordingStore,
  requestOf,
  secret,
  settled,
  slowReceiver,
  storeWith,
  timestamp,
} from './receive.js';

/** The job of a delivery, as it comes out of a queue that stores JSON. */
async function jobOf(
  body: unknown,
  options: Partial<WebhookReceiverOptions<string>> = {},
): Promise<WebhookJob> {
  const jobs: string[] = [];
  const { status } = receiverOf({ ...options, enqueue: (job) => jobs.push(JSON.stringify(job)) });
  expect(await status(body)).toBe(204);
  return JSON.parse(jobs[0] ?? '');
}

/** What a promise rejects with. */
const rejectionOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('It should reject.'),
    (error: unknown) => error,
  );

describe('a receiver with enqueue', () => {
  test('responds with 204 when the queue has the job, and runs no handler', async () => {
    const queue = withResolvers();
    const jobs: WebhookJob[] = [];
    const { receiver, handler, log } = handledBy({
      enqueue: (job) => {
        jobs.push(job);
        return queue.promise;
      },
    });
    const response = receiver.receive(requestOf(message));
    await settled();
    expect(jobs).toEqual([
      {
        version: 1,
        key: expect.stringMatching(/^message-[\da-f]{64}$/),
        group: expect.stringMatching(/^contact-[\da-f]{64}$/),
        body: JSON.stringify(message),
        signature: signWebhook(JSON.stringify(message), secret),
        secretIndex: 0,
        receivedAt: timestamp,
      },
    ]);
    expect(await Promise.race([response, 'none yet'])).toBe('none yet');
    queue.resolve();
    expect((await response).status).toBe(204);
    expect(handler).not.toHaveBeenCalled();
    expect(log).toEqual([]);
  });

  test('gives each attempt of a delivery the same key, and each secret its index', async () => {
    const secrets = ['whsec_new', secret];
    const first = await jobOf(message, { secret: secrets });
    expect(first.secretIndex).toBe(1);
    expect((await jobOf({ ...message, attempt: 2 }, { secret: secrets })).key).toBe(first.key);
    expect((await jobOf({ ...message, workspaceId: 'another' }, { secret: secrets })).key).not.toBe(
      first.key,
    );
    expect((await jobOf(message, { dedupeKey: () => 'mine' })).key).toMatch(/^own-[\da-f]{64}$/);
  });

  test.each<[string, () => unknown]>([
    ['rejects', () => Promise.reject(new Error('The queue is away.'))],
    [
      'throws',
      () => {
        throw new Error('The queue is away.');
      },
    ],
  ])('responds with 503 and tells onError when enqueue %s', async (_, enqueue) => {
    const { status, log } = handledBy({ enqueue });
    expect(await status(message)).toBe(503);
    expect(log).toEqual([
      [
        'error',
        new Error('The queue is away.'),
        expect.objectContaining({ willBeRetried: true, event: message }),
      ],
    ]);
  });

  test('responds with 503 at the deadline while the queue does not respond', async () => {
    const signals: AbortSignal[] = [];
    const { statusAfter, log } = handledBy({
      enqueue: (_, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    });
    expect(await statusAfter(4_500, message)).toBe(503);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(log.map(([hook]) => hook)).toEqual(['slow']);
  });

  test('passes nothing to the queue that is not verified', async () => {
    const enqueue = vi.fn();
    const { status } = handledBy({ enqueue });
    expect(await status(message, { headers: { 'x-service-signature': '0'.repeat(64) } })).toBe(401);
    expect(await status({ ...message, timestamp: '2020-01-01T00:00:00.000Z' })).toBe(400);
    expect(enqueue).not.toHaveBeenCalled();
  });
});

describe('process', () => {
  test('runs the handlers of a job once', async () => {
    const onHandled = vi.fn();
    const onDuplicate = vi.fn();
    const { receiver, handler } = handledBy({ onHandled, onDuplicate, enqueue: () => {} });
    const job = await jobOf(message);
    await receiver.process(job, 'what the worker knows');
    await receiver.process({ ...job, tenant: 'an own field' });
    expect(handler.mock.calls).toEqual([
      [
        message,
        expect.objectContaining({
          request: 'what the worker knows',
          secretIndex: 0,
          remaining: Number.POSITIVE_INFINITY,
        }),
      ],
    ]);
    expect(onHandled).toHaveBeenCalledOnce();
    expect(onDuplicate).toHaveBeenCalledExactlyOnceWith(message, {
      state: 'done',
      request: undefined,
      secretIndex: 0,
    });
  });

  test.each([
    ['astral and private characters', '👋🏽 \u{10FFFF} \uE000'],
    ['escapes', 'a\u0000b "\\" \u2028'],
  ])('gives the handlers the bytes that were signed: %s', async (_, text) => {
    const body = `\uFEFF${JSON.stringify({ ...message, data: { ...message.data, body: text } })} \n`;
    const { receiver, handler } = handledBy();
    await receiver.process(await jobOf(body));
    expect(handler.mock.calls[0]?.[0]).toMatchObject({ data: { body: text } });
    expect(Buffer.from(handler.mock.calls[0]?.[1].rawBody ?? '').toString()).toBe(body);
  });

  test('rejects with the error of a handler, and leaves the delivery to the next run', async () => {
    const { receiver, handler, log } = handledBy();
    handler.mockRejectedValueOnce(new Error('The warehouse is closed.'));
    const job = await jobOf(message);
    await expect(receiver.process(job)).rejects.toThrow('The warehouse is closed.');
    expect(log).toEqual([]);
    await receiver.process(job);
    expect(handler).toHaveBeenCalledTimes(2);
  });

  test('lets handlers take an hour, and renews their claim', async () => {
    const { calls, store } = recordingStore();
    const { clock, receiver, handling, context } = slowReceiver({ dedupe: store });
    const { key, ...job } = await jobOf(message);
    const work = receiver.process({ ...job, key });
    for (let passed = 0; passed < 3_600_000; passed += 10_000) await clock.passSettled(10_000);
    expect(context()?.signal.aborted).toBe(false);
    handling.resolve();
    await work;
    expect(calls.slice(0, 2)).toEqual([`claim ${key.replace('-', ':')} 30000`, `claim ${key} 30000`]);
    expect(calls.filter((call) => call.startsWith('renew')).length).toBeGreaterThan(300);
    expect(calls.at(-1)).toMatch(/^commit /);
    expect(clock.waiting).toBe(0);
  });

  test('keeps a handlerTimeout that the receiver has', async () => {
    const { clock, receiver, context } = slowReceiver({ handlerTimeout: 60_000 });
    const failure = rejectionOf(receiver.process(await jobOf(message)));
    await settled();
    await clock.passSettled(60_000);
    expect(await failure).toMatchObject({ name: 'ReceiverError', reason: 'handler_timeout' });
    expect(context()?.signal.aborted).toBe(true);
  });

  test('accepts a job that has waited for longer than the replay window', async () => {
    const { clock, receiver, handler } = handledBy();
    const job = await jobOf(message);
    clock.pass(30 * 24 * 3_600_000);
    await receiver.process(job);
    expect(handler).toHaveBeenCalledOnce();
  });

  test.each<[string, (job: WebhookJob) => unknown]>([
    ['undefined', () => undefined],
    ['the text of a job', (job) => JSON.stringify(job)],
    ['a delivery', () => message],
    ['a job without a key', ({ key: _, ...job }) => job],
    ['a job with a long key', (job) => ({ ...job, key: 'k'.repeat(81) })],
    ['a job with a body that is not text', (job) => ({ ...job, body: JSON.parse(job.body) })],
    ['a job without a signature', ({ signature: _, ...job }) => job],
    ['a job of another version', (job) => ({ ...job, version: 2 })],
  ])('refuses %s', async (_, change) => {
    const { receiver, handler } = handledBy();
    const failure = await rejectionOf(receiver.process(change(await jobOf(message))));
    expect(failure).toBeInstanceOf(ReceiverError);
    expect(failure).toMatchObject({ reason: 'invalid_job' });
    expect(handler).not.toHaveBeenCalled();
  });

  test('refuses a job whose body was changed, and one whose secret the worker does not know', async () => {
    const { receiver, handler } = handledBy();
    const job = await jobOf(message);
    const other = receiverOf({ secret: 'whsec_other' }).receiver;
    for (const refused of [
      await rejectionOf(
        receiver.process({ ...job, body: job.body.replace('message.received', 'message.invented') }),
      ),
      await rejectionOf(other.process(job)),
    ]) {
      expect(refused).toBeInstanceOf(WebhookVerificationError);
      expect(refused).toMatchObject({ reason: 'signature_mismatch' });
    }
    expect(handler).not.toHaveBeenCalled();
  });

  test('asks a function for the secret of what the worker passes, within the deadline', async () => {
    const { receiver, handler, clock } = handledBy({
      secret: (request) =>
        request === 'slow' ? new Promise(() => {}) : request === 'known' ? secret : undefined,
    });
    const job = await jobOf(message);
    await receiver.process(job, 'known');
    expect(handler).toHaveBeenCalledOnce();
    await expect(receiver.process(job, 'unknown')).rejects.toMatchObject({ reason: 'signature_mismatch' });
    const late = rejectionOf(receiver.process(job, 'slow'));
    await settled();
    await clock.passSettled(4_500);
    expect(await late).toBeInstanceOf(ReceiverDeadlineError);
  });

  test('is waited for by drain', async () => {
    const { receiver, handling } = slowReceiver();
    const work = receiver.process(await jobOf(message), 'the worker');
    await settled();
    const drained = receiver.drain();
    await settled();
    expect(await Promise.race([drained, 'not yet'])).toBe('not yet');
    handling.resolve();
    await work;
    expect(await drained).toEqual([]);
  });
});

describe('a job whose delivery another worker has', () => {
  test('waits for that worker, and is a duplicate when it has handled it', async () => {
    const dedupe = createMemoryDedupeStore();
    const one = slowReceiver({ dedupe });
    const other = handledBy({ dedupe });
    const job = await jobOf(message);
    const first = one.receiver.process(job);
    await settled();
    const second = other.receiver.process(job);
    await other.clock.passSettled(500);
    one.handling.resolve();
    await first;
    await other.clock.passSettled(500);
    await second;
    expect(other.handler).not.toHaveBeenCalled();
  });

  test('is handled when the claim of a dead worker ends', async () => {
    const { clock, receiver, handler } = handledBy({
      dedupe: storeWith({ claim: async () => (clock.now() < claimEnds ? 'in_progress' : 'claimed') }),
    });
    const claimEnds = clock.now() + 29_000;
    const work = receiver.process(await jobOf(message));
    for (let second = 0; second < 29; second += 1) await clock.passSettled(1_000);
    await work;
    expect(handler).toHaveBeenCalledOnce();
  });

  test.each<[string, () => Promise<'in_progress'>, object]>([
    ['is held', async () => 'in_progress', { name: 'ReceiverError', reason: 'in_progress' }],
    ['cannot be claimed', () => Promise.reject(new Error('No connection.')), { message: 'No connection.' }],
    ['is claimed forever', () => new Promise(() => {}), { name: 'ReceiverDeadlineError', stage: 'dedupe' }],
  ])('is given back to the queue when it %s for a lease', async (_, claim, expected) => {
    const { clock, receiver, handler, log } = handledBy({ dedupe: storeWith({ claim }) });
    const failure = rejectionOf(receiver.process(await jobOf(message)));
    for (let second = 0; second < 32; second += 1) await clock.passSettled(1_000);
    expect(await failure).toMatchObject(expected);
    expect(handler).not.toHaveBeenCalled();
    expect(log).toEqual([]);
    expect(clock.waiting).toBe(0);
  });

  test('frees a claim that comes after it was given back', async () => {
    const claim = withResolvers();
    const released: string[] = [];
    const { clock, receiver, handler } = handledBy({
      dedupe: storeWith({
        claim: async () => {
          await claim.promise;
          return 'claimed';
        },
        release: async (key) => void released.push(key),
      }),
    });
    const job = await jobOf(message);
    const failure = rejectionOf(receiver.process(job));
    await settled();
    await clock.passSettled(30_000);
    await failure;
    expect(released).toEqual([]);
    claim.resolve();
    await settled();
    expect(released).toEqual([job.key.replace('-', ':'), job.key]);
    expect(handler).not.toHaveBeenCalled();
  });
});
