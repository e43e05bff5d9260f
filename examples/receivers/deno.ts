// A receiver on Deno, which serves the default export. Run it:
//   WEBHOOK_SECRET=whsec_… deno serve --allow-env --host 127.0.0.1 --port 3000 examples/receivers/deno.ts
import process from 'node:process';
import { createWebhookReceiver, toFetchHandler } from 'messaging-automation/webhooks';

const receiver = createWebhookReceiver({ secret: process.env.WEBHOOK_SECRET ?? '' });
receiver.on('message.received', (event) => console.log(`${event.data.contactId}: ${event.data.body}`));

export default { fetch: toFetchHandler(receiver) };
