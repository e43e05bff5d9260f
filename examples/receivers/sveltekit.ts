// A receiver in SvelteKit: this file is src/routes/webhooks/+server.ts. In Remix and React Router the same function is
// the route's `action`.
import { createWebhookReceiver, toFetchHandler } from 'messaging-automation/webhooks';

const receiver = createWebhookReceiver({ secret: process.env.WEBHOOK_SECRET ?? '' });
receiver.on('message.received', (event) => console.log(`${event.data.contactId}: ${event.data.body}`));

const handle = toFetchHandler(receiver);

export const POST = ({ request }: { request: Request }) => handle(request);
