import express, { type RequestHandler, type Response } from 'express';
import { createWebhookReceiver, signatureHeader, toNodeHandler, unwrapWebhook } from '../../dist/webhooks.js';
import { secret } from './receivers.js';

function receiving(dedupe: false | undefined): RequestHandler {
  return toNodeHandler(createWebhookReceiver({ secret, dedupe }).on('message.received', () => {}));
}

/** A route without a receiver, as one writes it by hand: it verifies the body, and reads the event. */
const unwrapping = (body: Buffer, header: string | undefined, response: Response): void => {
  unwrapWebhook(body, header, secret);
  response.status(204).end();
};

/** What responds to the deliveries, by its name. */
const handlers: Readonly<Record<string, readonly RequestHandler[]>> = {
  bare: [
    (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => unwrapping(Buffer.concat(chunks), request.get(signatureHeader), response));
    },
  ],
  raw: [
    express.raw({ type: () => true }),
    (request, response) => unwrapping(request.body, request.get(signatureHeader), response),
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
