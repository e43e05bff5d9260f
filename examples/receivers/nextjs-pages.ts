// A receiver in the pages router of Next.js: this file is pages/api/webhooks.ts. WEBHOOK_SECRET stands in .env.local.
import { createWebhookReceiver, toNextPagesHandler } from 'messaging-automation/webhooks';

// Without this Next.js parses the body and throws its bytes away, which are what was signed.
export const config = { api: { bodyParser: false } };

const receiver = createWebhookReceiver({ secret: process.env.WEBHOOK_SECRET ?? '' });
receiver.on('message.received', (event) => console.log(`${event.data.contactId}: ${event.data.body}`));

export default toNextPagesHandler(receiver);
