// A receiver in Express 5 or 4. Run it: WEBHOOK_SECRET=whsec_… npx tsx examples/receivers/express.ts
import express from 'express';
import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';

const receiver = createWebhookReceiver({ secret: process.env.WEBHOOK_SECRET ?? '' });
receiver.on('message.received', (event) => console.log(`${event.data.contactId}: ${event.data.body}`));

const app = express();

// Before express.json(): the signature covers the raw bytes, which a parser discards.
app.use('/webhooks', toNodeHandler(receiver));

app.use(express.json());
app.post('/orders', (request, response) => {
  response.status(201).json(request.body);
});

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`Listening on http://127.0.0.1:${address?.port}/webhooks`);
});
