import type { Server } from 'node:http';
import express from 'express';
import { unwrapWebhook, type WebhookEvent, WebhookVerificationError } from 'messaging-automation/webhooks';

/** A webhook receiver like that of an app, with a switch that makes it fail. */
export interface Receiver {
  readonly url: string;
  /** The secret of the subscription, after it was created. */
  secret: string;
  /** How many of the next deliveries to respond with 503. */
  failures: number;
  readonly events: WebhookEvent[];
  close(): void;
}

/** Starts an Express app that verifies deliveries on a free port of this machine. */
export async function startReceiver(): Promise<Receiver> {
  const app = express();
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The receiver has no port.');
  const receiver: Receiver = {
    url: `http://127.0.0.1:${address.port}/webhooks`,
    secret: '',
    failures: 0,
    events: [],
    close: () => server.close(),
  };

  // The signature covers the raw bytes, so no parser may run before the receiver.
  app.post('/webhooks', express.raw({ type: 'application/json' }), (request, response) => {
    try {
      const event = unwrapWebhook(request.body, request.get('X-Service-Signature'), receiver.secret);
      if (receiver.failures > 0) {
        receiver.failures -= 1;
        response.sendStatus(503);
        return;
      }
      receiver.events.push(event);
      response.sendStatus(204);
    } catch (error) {
      response.sendStatus(error instanceof WebhookVerificationError ? 401 : 500);
    }
  });
  return receiver;
}
