// A receiver in the pages router of Next.js: this file is pages/api/webhooks.ts. Set WEBHOOK_SECRET in .env.local.
import { createWebhookReceiver, toNextPagesHandler } from 'messaging-automation/webhooks';

// Otherwise Next.js parses the body and discards the raw bytes, which the signature covers.
export const config = { api: { bodyParser: false } };

const receiver = createWebhookReceiver({ secret: process.env.WEBHOOK_SECRET ?? '' });
receiver.on('message.received', (event) => console.log(`${event.data.contactId}: ${event.data.body}`));

export default toNextPagesHandler(receiver);
