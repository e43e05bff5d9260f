// A receiver on Bun, which serves the default export. Run it: WEBHOOK_SECRET=whsec_… bun examples/receivers/bun.ts
import { createWebhookReceiver, toFetchHandler } from 'messaging-automation/webhooks';

const receiver = createWebhookReceiver({ secret: process.env.WEBHOOK_SECRET ?? '' });
receiver.on('message.received', (event) => console.log(`${event.data.contactId}: ${event.data.body}`));

export default {
  port: Number(process.env.PORT ?? 3000),
  hostname: '127.0.0.1',
  fetch: toFetchHandler(receiver),
};
