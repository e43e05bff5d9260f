import { expect, test, vi } from 'vitest';
import { ManualClock } from '../../server/support/manual-clock.js';
import { message, recordingStore, requestOf, secret } from './receive.js';

test('the keys are the same where there is no node:crypto, or one whose functions throw', async () => {
  const keys = async () => {
    vi.resetModules();
    const { createWebhookReceiver } = await import('messaging-automation/webhooks');
    const { calls, store } = recordingStore();
    const receiver = createWebhookReceiver<string>({ secret, dedupe: store, clock: new ManualClock() });
    receiver.on('message.received', () => {});
    expect((await receiver.receive(requestOf(message))).status).toBe(204);
    return calls;
  };
  const native = await keys();
  const fail = () => {
    throw new Error('[unenv] crypto.createHmac is not implemented yet!');
  };
  for (const found of [undefined, {}, { createHmac: fail, hash: fail }]) {
    using _ = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(found);
    expect(await keys()).toEqual(native);
  }
  vi.resetModules(); // a copy that found no node:crypto is not for other tests
});
