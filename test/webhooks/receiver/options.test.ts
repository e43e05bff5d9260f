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
