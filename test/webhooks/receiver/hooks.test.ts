import { signWebhook, type WebhookReceiverOptions } from 'messaging-automation/webhooks';
import { expect, test, vi } from 'vitest';
import { withResolvers } from '../../waiting.js';
import {
  bytesOf,
  handledBy,
  message,
  messageOf,
  receiverOf,
  requestOf,
  secret,
  settled,
  slowReceiver,
  storeWith,
} from './receive.js';

const tagged = { ...message, event: 'contact.tagged', data: { tag: 'vip' } };

/** A receiver whose hooks for what became of a delivery are recorded in one list. */
function toldBy(options: Partial<WebhookReceiverOptions<string>> = {}) {
  const told: unknown[][] = [];
  const parts = slowReceiver({
    onHandled: (event, context) => told.push(['handled', event, context.secretIndex]),
    onDuplicate: (event, duplicate) => told.push(['duplicate', event, duplicate]),
    ...options,
  });
  return { ...parts, told };
}

test('onHandled gets what no handler is there for, and not what failed', async () => {
  const { handling, status, told } = toldBy();
  handling.reject(new Error('no room'));
  expect(await status(tagged)).toBe(204);
  expect(await status(message)).toBe(500);
  expect(await status(message, { headers: {} })).toBe(401);
  expect(told).toEqual([['handled', tagged, 0]]);
});

test('onDuplicate learns whether the other one is done or in progress', async () => {
  const { handling, status, statusAfter, told } = toldBy();
  const first = status(message);
  expect(await statusAfter(4_500, message)).toBe(503);
  handling.resolve();
  await first;
  await settled();
  expect(await status(message)).toBe(204);
  const duplicate = { request: 'the request', secretIndex: 0 };
  expect(told).toEqual([
    ['duplicate', message, { ...duplicate, state: 'in_progress' }],
    ['handled', message, 0],
    ['duplicate', message, { ...duplicate, state: 'done' }],
  ]);
});

test.each<[string, () => unknown]>([
  ['throw', () => expect.unreachable()],
  ['reject', () => Promise.reject(new Error('hook'))],
])('hooks that %s change nothing', async (_, hook) => {
  const { clock, handler, handling, status } = slowReceiver({
    onHandled: hook,
    onDuplicate: hook,
    onRefused: hook,
    onSlowHandler: hook,
    onError: hook,
  });
  const response = status(message);
  await clock.passSettled(3_600);
  handling.resolve();
  expect(await response).toBe(204);
  expect(await status(message)).toBe(204);
  expect(await status(message, { method: 'GET' })).toBe(405);
  expect(await status('hello')).toBe(400);
  handler.mockRejectedValueOnce(new Error('no room'));
  expect(await status(messageOf('2'))).toBe(500);
});

test('of two subscriptions side by side, each hook gets the request and the secret of its own', async () => {
  const told: unknown[][] = [];
  const tell = (hook: string) => (_: unknown, about: { request: string; secretIndex?: number }) =>
    told.push([hook, about.request, about.secretIndex]);
  const { clock, receiver, status } = receiverOf({
    secret: [secret, 'whsec_second'],
    onHandled: tell('handled'),
    onDuplicate: tell('duplicate'),
    onSlowHandler: tell('slow'),
    onError: tell('error'),
  });
  const handling = withResolvers();
  receiver.on('message.received', (_, { request }) => (request === 'second' ? handling.promise : undefined));
  const first = { request: 'first' };
  const headers = { 'x-service-signature': signWebhook(bytesOf(message), 'whsec_second') };
  const second = { request: 'second', headers };
  const response = status(message, second);
  for (const expected of [204, 204]) expect(await status(message, first)).toBe(expected);
  clock.pass(3_600);
  handling.reject(new Error('no room'));
  expect(await response).toBe(500);
  expect(told).toEqual([
    ['handled', 'first', 0],
    ['duplicate', 'first', 0],
    ['slow', 'second', 1],
    ['error', 'second', undefined],
  ]);
});

test('maxConcurrent bounds what is claimed and handled at once, and gives each place back', async () => {
  const { handler, handling, log, receiver, status, told } = toldBy({ maxConcurrent: 2 });
  const second = withResolvers();
  handler.mockReturnValueOnce(handling.promise).mockReturnValueOnce(second.promise);
  const first = [status(messageOf('1')), status(messageOf('2'))];
  await settled();
  const { headers, status: busy } = await receiver.receive(requestOf(messageOf('3')));
  expect([busy, headers]).toEqual([503, { 'Retry-After': '5' }]);
  const text =
    'A delivery got 503, because 2 others are being handled. If this process can take more, raise ' +
    'maxConcurrent; if not, let the handlers do less, or run more processes.';
  expect(log).toMatchObject([
    ['error', { reason: 'overloaded', message: text }, { event: messageOf('3'), willBeRetried: true }],
  ]);

  handling.resolve();
  expect(await first[0]).toBe(204);
  expect(await status(messageOf('3'))).toBe(204);
  second.resolve();
  expect(await first[1]).toBe(204);
  expect(told).toHaveLength(3);
});

test('maxConcurrent gives back the place of a claim after a lease, and of a handler that does not end', async () => {
  const never = new Promise<never>(() => {});
  const claims = [never, Promise.resolve('claimed' as const), Promise.resolve('claimed' as const)];
  const dedupe = storeWith({ claim: () => claims.shift() ?? never });
  const { clock, receiver, status } = receiverOf({
    maxConcurrent: 1,
    dedupe,
    lease: 30_000,
    handlerTimeout: 60_000,
  });
  const handler = vi.fn<() => Promise<void>>().mockReturnValueOnce(never).mockResolvedValue();
  receiver.on('message.received', handler);
  for (const [id, wait] of [
    ['1', 4_500],
    ['2', 60_000],
  ] as const) {
    const response = status(messageOf(id));
    await clock.passSettled(wait);
    expect(await response).toBe(503);
    if (id === '1') {
      // A store that hangs holds no more deliveries than that, and drain() knows of them.
      expect(await status(messageOf('2'))).toBe(503);
      clock.pass(29_999);
      expect(await status(messageOf('2'))).toBe(503);
      await clock.passSettled(1);
    }
  }
  await settled();
  expect(await status(messageOf('3'))).toBe(204);
  expect(clock.waiting).toBe(0);
});

test('drain() waits for the end of a claim that came too late, which is given up', async () => {
  const claim = withResolvers<'claimed'>();
  const release = vi.fn(async () => {});
  const { clock, handler, receiver, statusAfter } = handledBy({
    dedupe: storeWith({ claim: () => claim.promise, release }),
  });
  expect(await statusAfter(4_500, message)).toBe(503);
  const now = receiver.drain({ timeout: 0 });
  clock.pass(0);
  expect(await now).toMatchObject([{ event: message }]);
  const drained = receiver.drain();
  claim.resolve('claimed');
  expect(await drained).toEqual([]);
  expect([handler.mock.calls.length, release.mock.calls.length, clock.waiting]).toEqual([0, 1, 0]);
});
