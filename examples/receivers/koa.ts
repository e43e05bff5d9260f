// A receiver in Koa 3. Run it: WEBHOOK_SECRET=whsec_… npx tsx examples/receivers/koa.ts
import Koa from 'koa';
import { createWebhookReceiver, toKoaMiddleware } from 'messaging-automation/webhooks';

const receiver = createWebhookReceiver({ secret: process.env.WEBHOOK_SECRET ?? '' });
receiver.on('message.received', (event) => console.log(`${event.data.contactId}: ${event.data.body}`));

const receive = toKoaMiddleware(receiver);
const app = new Koa();

// Before koa-body or koa-bodyparser: the signature covers the raw bytes.
app.use((context, next) => (context.path === '/webhooks' ? receive(context) : next()));

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`Listening on http://127.0.0.1:${address?.port}/webhooks`);
});
