import { once } from 'node:events';
import { createServer } from 'node:http';
import { createReferenceServer } from 'messaging-automation/server';
import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { phone } from '../support/reference.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a workspace works where a test has put fake timers in the place of all', async () => {
  const server = createReferenceServer({
    templates: [{ id: 'hello', body: 'Hello' }],
    contacts: [{ phone }],
  });
  let secret = '';
  const receiver = createWebhookReceiver({ secret: () => secret }).onAny(() => {});
  const listener = createServer(toNodeHandler(receiver)).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => void listener.close());
  const address = listener.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
  ({ secret } = await server.client.webhooks.create({ url, events: ['message.received'] }));

  await server.client.transactional.send({ phone, templateId: 'hello' });
  await server.simulate.inboundMessage({ phone, body: 'Hello' });
  await server.deliveries.waitFor({ contact: phone });
  await server.settled();
  await server.clock.advance('1d');
  await server.close();
});

test('a wait whose time is over ends there, too', async () => {
  await using server = createReferenceServer();
  await expect(server.sends.waitFor({}, { timeout: '20ms' })).rejects.toMatchObject({
    name: 'WaitTimeoutError',
  });
});
