// A receiver in Hono. Run it: WEBHOOK_SECRET=whsec_… npx tsx examples/receivers/hono.ts
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createWebhookReceiver, toHonoHandler } from 'messaging-automation/webhooks';

const receiver = createWebhookReceiver({ secret: process.env.WEBHOOK_SECRET ?? '' });
receiver.on('message.received', (event) => console.log(`${event.data.contactId}: ${event.data.body}`));

const app = new Hono();

// Before any middleware that reads bodies: the signature covers the raw bytes.
app.all('/webhooks', toHonoHandler(receiver));

app.post('/orders', async (context) => context.json(await context.req.json(), 201));

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`Listening on http://127.0.0.1:${port}/webhooks`),
);

// On Workers, without serve, the secret comes with each request:
//   import { type Context, Hono } from 'hono';
//   type Environment = { Bindings: { WEBHOOK_SECRET: string } };
//   const receiver = createWebhookReceiver({ secret: (context: Context<Environment>) => context.env.WEBHOOK_SECRET });
//   const app = new Hono<Environment>();
//   export default app;
