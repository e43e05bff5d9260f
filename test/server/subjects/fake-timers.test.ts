import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startListener } from '../support/listener.js';
import { phone, startServer } from '../support/reference.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a workspace delivers to a receiver of the package, and closes, under fake timers', async () => {
  let secret = '';
  const receiver = createWebhookReceiver({ secret: () => secret }).onAny(() => {});
  const url = await startListener(toNodeHandler(receiver));
  const server = startServer({
    clock: 'flowing',
    templates: [{ id: 'hello', body: 'Hello' }],
    contacts: [{ phone }],
  });
  ({ secret } = await server.client.webhooks.create({ url, events: ['message.received'] }));
  await server.client.transactional.send({ phone, templateId: 'hello' });
  await server.simulate.inboundMessage({ phone, body: 'Hello' });
  await server.deliveries.waitFor({ contact: phone });
  await server.settled();
  await server.clock.advance('1d');
  await server.close();
});

test('a wait times out under fake timers', async () => {
  await expect(startServer().sends.waitFor({}, { timeout: '20ms' })).rejects.toMatchObject({
    name: 'WaitTimeoutError',
  });
});
