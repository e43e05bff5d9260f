import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';
import { expect, test } from 'vitest';
import { serveRequests } from './http-servers.js';
import { serve } from './served.js';

test.each([
  ['take the deliveries of a clock that was moved', [], { status: 204, outcome: 'delivered' }],
  [
    'refuse them where they are stamped with the workspace’s time, and the log says why',
    ['--delivery-timestamps', 'workspace'],
    { status: 400, error: expect.stringContaining("its timestamp is 2 d ahead of the machine's clock") },
  ],
])('receivers in other processes %s', async (_, words, delivery) => {
  const { ask, terminal } = await serve(...words);
  let secret = '';
  const receiver = createWebhookReceiver({ secret: () => secret, onRefused: () => {} }).onAny(() => {});
  const url = await serveRequests(toNodeHandler(receiver));
  const created = await ask('/api/v1/webhooks', { url, events: ['message.received'] });
  ({ secret } = await created.json());
  await ask('/control/clock/advance', { by: '2d' });
  await ask('/control/inbound-messages', { phone: '+15551234567', body: 'Hello' });
  expect(JSON.parse(await terminal.line(/"type":"delivery"/))).toMatchObject(delivery);
});
