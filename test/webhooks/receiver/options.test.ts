import { createWebhookReceiver } from 'messaging-automation/webhooks';
import { expect, onTestFinished, test, vi } from 'vitest';
import { receiverOf } from './receive.js';

test('what is acknowledged after the claim needs a store to claim from', () => {
  expect(() => receiverOf({ acknowledge: 'after-claim', dedupe: false })).toThrow('needs a dedupe store');
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
  expect(() => Reflect.apply(receiver.on, receiver, ['message.received', handler])).toThrow(
    'of which a call runs no code',
  );
  expect(() => Reflect.apply(receiver.onAny, receiver, [handler])).toThrow(
    'must be a function, and not a generator function',
  );
});
