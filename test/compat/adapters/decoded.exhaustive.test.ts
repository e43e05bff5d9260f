import { once } from 'node:events';
import { request } from 'node:http';
import fastify from 'fastify';
import fastifyRawBody from 'fastify-raw-body';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { toFastifyHandler, toFastifyPlugin, toKoaMiddleware } from 'messaging-automation/webhooks';
import { expect, onTestFinished, test } from 'vitest';
import { describeDecoded } from '../../webhooks/adapters/node/decoded.js';
import { fastifyListener } from '../../webhooks/adapters/node/node-http.js';
import { recordingReceiver } from '../../webhooks/adapters/support/receiver.js';
import { delivery } from '../../webhooks/adapters/support/sent.js';

describeDecoded([
  [
    'fastify-raw-body',
    'fastify-raw-body with encoding: false',
    async (receiver) => {
      const app = fastify();
      await app.register(fastifyRawBody);
      app.all('/webhooks', toFastifyHandler(receiver));
      return fastifyListener(app);
    },
  ],
  [
    'koa-bodyparser',
    'context.disableBodyParser = true',
    (receiver) => new Koa().use(bodyParser()).use(toKoaMiddleware(receiver)).callback(),
  ],
]);

test('a body that fastify-raw-body has not read to its end is awaited, and its bytes are used', async () => {
  const { receiver, handled } = recordingReceiver();
  const app = fastify();
  onTestFinished(() => app.close());
  await app.register(fastifyRawBody, { encoding: false });
  const { headers, chunks } = delivery();
  const [bytes = new Uint8Array()] = chunks;
  app.addHook('preHandler', async () => void setImmediate(() => sender.end(bytes.subarray(10))));
  await app.register(toFastifyPlugin(receiver));
  const sender = request(await app.listen({ port: 0, host: '127.0.0.1' }), {
    method: 'POST',
    headers: { ...Object.fromEntries(headers), 'Content-Length': bytes.length },
  });
  sender.write(bytes.subarray(0, 10)); // goes with the head
  const [response] = await once(sender, 'response');

  expect(response.statusCode).toBe(204);
  expect(handled).toHaveLength(1);
});
