import { createWebhookReceiver } from 'messaging-automation/webhooks';
import { expect, onTestFinished, test, vi } from 'vitest';
import { receiverOf } from './receive.js';

const atLeast = (least: number) => `must be a number of milliseconds, ${least} or more.`;
const notSet = 'workspaceId must be a string that is not empty.';
const atLeastOne = 'maxConcurrent must be a number of one or more; Infinity sets no bound.';

const toleranceIs = 'tolerance must be an object { past, future } of milliseconds, or false.';
const dedupeIs =
  'dedupe must be a dedupe store, with the methods claim, renew, commit and release, or false.';

test.each<[object, string]>([
  [{ maxBodyBytes: 0 }, 'maxBodyBytes must be a number above zero.'],
  [{ deadline: Number.POSITIVE_INFINITY }, `deadline ${atLeast(100)}`],
  [{ lease: '30s' }, `lease ${atLeast(100)}`],
  [{ lease: 5 }, `lease ${atLeast(100)}`],
  [{ handlerTimeout: -1 }, `handlerTimeout ${atLeast(1)}`],
  [{ tolerance: 300 }, toleranceIs],
  [{ tolerance: { seconds: 300 } }, toleranceIs],
  [{ validation: 'Strict' }, "validation must be 'warn' or 'strict' or 'off'."],
  [{ dedupe: { claim() {} } }, dedupeIs],
  [{ clock: { now: Date.now } }, 'clock must be an object with the methods now and setTimer.'],
  [{ onError: 'log' }, 'onError must be a function.'],
  [{ waitUntil: {} }, 'waitUntil must be a function.'],
  [{ maxConcurrent: 0 }, atLeastOne],
  [{ workspaceId: '' }, notSet],
  [{ tolerance: { past: -1 } }, 'tolerance.past must be a number of milliseconds, zero or more.'],
  [{ dedupeKey: 'messageId' }, 'dedupeKey must be a function of the event.'],
  [{ acknowledge: 'at once' }, "acknowledge must be 'after-handlers' or 'after-claim'."],
  [{ whenSlow: 'wait' }, "whenSlow must be 'retry' or 'acknowledge'."],
  [
    { acknowledge: 'after-claim', dedupe: false },
    "acknowledge: 'after-claim' needs a dedupe store to claim from; leave out dedupe: false.",
  ],
])('%j is a TypeError that says what the option must be', (options, message) => {
  expect(() => receiverOf(options)).toThrow(new TypeError(message));
});

test.each(['', undefined])('a receiver with the secret %j warns of it when it is created', (secret) => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => warned.mockRestore());
  Reflect.apply(createWebhookReceiver, undefined, [{ secret }]);

  expect(String(warned.mock.calls[0]?.[0])).toContain(
    'without a secret, so it answers each delivery with 500',
  );
});

test.each<[string, unknown]>([
  ['a generator function', function* () {}],
  ['an async generator function', async function* () {}],
])('%s as a handler is refused, because to call it runs none of its code', (_, handler) => {
  const { receiver } = receiverOf();
  expect(() => Reflect.apply(receiver.on, receiver, ['message.received', handler])).toThrow(TypeError);
  expect(() => Reflect.apply(receiver.onAny, receiver, [handler])).toThrow(
    'must not be a generator function',
  );
});
