// A receiver in Fastify 5. Run it: WEBHOOK_SECRET=whsec_… npx tsx examples/receivers/fastify.ts
import fastify from 'fastify';
import { createWebhookReceiver, toFastifyPlugin } from 'messaging-automation/webhooks';

const receiver = createWebhookReceiver({ secret: process.env.WEBHOOK_SECRET ?? '' });
receiver.on('message.received', (event) => console.log(`${event.data.contactId}: ${event.data.body}`));

const app = fastify();

// The plugin removes the body parsers only inside its prefix.
app.register(toFastifyPlugin(receiver), { prefix: '/webhooks' });

app.post('/orders', async (request, reply) => reply.code(201).send(request.body));

const url = await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' });
console.log(`Listening on ${url}/webhooks`);
