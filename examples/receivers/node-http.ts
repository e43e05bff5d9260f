// A receiver on node:http alone. Run it: WEBHOOK_SECRET=whsec_… npx tsx examples/receivers/node-http.ts
import { createServer } from 'node:http';
import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';

const receiver = createWebhookReceiver({ secret: process.env.WEBHOOK_SECRET ?? '' });
receiver.on('message.received', (event) => console.log(`${event.data.contactId}: ${event.data.body}`));

const receive = toNodeHandler(receiver);

const server = createServer((request, response) => {
  if (request.url === '/webhooks') {
    void receive(request, response); // It sends the response, and never rejects.
  } else {
    response.writeHead(404).end();
  }
});

server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`Listening on http://127.0.0.1:${address?.port}/webhooks`);
});
