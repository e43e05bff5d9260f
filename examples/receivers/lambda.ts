// A receiver on AWS Lambda, behind an API Gateway, a function URL or a load balancer. Bundle it with
//   npx esbuild examples/receivers/lambda.ts --bundle --platform=node --format=esm --outfile=index.mjs
// and set the function's variable WEBHOOK_SECRET, its handler to index.handler and its timeout above five seconds.
import { createWebhookReceiver, toLambdaHandler } from 'messaging-automation/webhooks';

const receiver = createWebhookReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  // Each instance of a function remembers only its own deliveries. To share them, pass a dedupe store in a database.
});
receiver.on('message.received', (event) => console.log(`${event.data.contactId}: ${event.data.body}`));

export const handler = toLambdaHandler(receiver);
