import { once } from 'node:events';
import { createServer } from 'node:http';
import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from './served.js';

/** A receiver of this machine, by its clock, and the URL where it is. */
async function startReceiver(secret: () => string): Promise<string> {
  const receiver = createWebhookReceiver({ secret, onRefused: () => {} }).onAny(() => {});
  const server = createServer(toNodeHandler(receiver)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hooks`;
}

test.each([
  ['take the deliveries of a clock that was moved', [], { status: 204, outcome: 'delivered' }],
  [
    'refuse them where they are stamped with the workspace’s time, and the log says why',
    ['--delivery-timestamps', 'workspace'],
    { status: 400, error: expect.stringContaining("its timestamp is 2 d ahead of the machine's clock") },
  ],
])('receivers in other processes %s', async (_, words, delivery) => {
  const { ask, ...log } = await serve(...words);
  let secret = '';
  const url = await startReceiver(() => secret);
  const created = await ask('/api/v1/webhooks', { url, events: ['message.received'] });
  ({ secret } = await created.json());
  await ask('/control/clock/advance', { by: '2d' });
  await ask('/control/inbound-messages', { phone: '+15551234567', body: 'Hello' });
  expect(await log.delivery()).toMatchObject(delivery);
});
