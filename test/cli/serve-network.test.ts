import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';
import { expect, test } from 'vitest';
import { serveRequests } from './http-servers.js';
import { serve } from './served.js';

const inNetwork = 'http://app:3000/hooks';
const onThisMachine = 'http://127.0.0.1:3000/hooks';

test.each([
  ['to this machine and public endpoints', [], { [onThisMachine]: 201, [inNetwork]: 400 }],
  ['anywhere', ['--receiver-addresses', 'any'], { [onThisMachine]: 201, [inNetwork]: 201 }],
  ['to public endpoints', ['--receiver-addresses', 'public'], { [onThisMachine]: 400, [inNetwork]: 400 }],
])('serve delivers %s, as told by %j', async (_, words, statuses) => {
  const { ask } = await serve(...words);
  for (const [url, status] of Object.entries(statuses))
    expect((await ask('/api/v1/webhooks', { url, events: ['message.received'] })).status, url).toBe(status);
});

const page = 'http://localhost:5173';

test.each([
  ['no page', [], null],
  ['pages of an origin', ['--cors', page], page],
  ['pages of one among several origins', ['--cors', 'https://other.example', page], page],
  ['no page of another origin', ['--cors', 'https://other.example'], null],
  ['all pages', ['--cors', '*'], page],
])('serve lets in %s, as told by %j', async (_, words, allowed) => {
  const { ask } = await serve(...words);
  const { headers } = await ask('/api/v1/templates', undefined, { headers: { Origin: page } });
  expect(headers.get('access-control-allow-origin')).toBe(allowed);
});

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
