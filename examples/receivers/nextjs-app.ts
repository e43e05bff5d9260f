// A receiver in the app router of Next.js: this file is app/api/webhooks/route.ts. Set WEBHOOK_SECRET in .env.local.
import { createWebhookReceiver, toFetchHandler } from 'messaging-automation/webhooks';

const receiver = createWebhookReceiver({ secret: process.env.WEBHOOK_SECRET ?? '' });
receiver.on('message.received', (event) => console.log(`${event.data.contactId}: ${event.data.body}`));

export const POST = toFetchHandler(receiver);

// With a handler that can exceed the deadline, Next.js must wait for the handler:
//   import { after } from 'next/server';
//   const handle = toFetchHandler(receiver);
//   export const POST = (request: Request) => handle(request, { waitUntil: after });
