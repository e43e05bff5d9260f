import { createHmac } from 'node:crypto';
import express, { type RequestHandler } from 'express';
import { createWebhookReceiver, toNodeHandler } from '../../dist/webhooks.js';
import { secret } from './receivers.js';

function receiving(dedupe: false | undefined): RequestHandler {
  return toNodeHandler(createWebhookReceiver({ secret, dedupe }).on('message.received', () => {}));
}

/** What responds to the deliveries, by its name. The first two hash the body, and do nothing else. */
const handlers: Readonly<Record<string, readonly RequestHandler[]>> = {
  bare: [
    (request, response) => {
      const hmac = createHmac('sha256', secret);
      request.on('data', (chunk: Buffer) => hmac.update(chunk));
      request.on('end', () => {
        hmac.digest('hex');
        response.status(204).end();
      });
    },
  ],
  raw: [
    express.raw({ type: () => true }),
    (request, response) => {
      createHmac('sha256', secret).update(request.body).digest('hex');
      response.status(204).end();
    },
  ],
  adapter: [receiving(undefined)],
  forgetful: [receiving(false)],
};

const app = express();
for (const [name, handler] of Object.entries(handlers)) app.post(`/${name}`, ...handler);

const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.send?.(address?.port);
});
server.keepAliveTimeout = 600_000; // no connection is to be closed between two rounds

/** Asked, it says how much CPU time it has had. */
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
