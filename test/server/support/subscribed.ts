import { createHmac } from 'node:crypto';
import type { ReferenceServer, ReferenceServerOptions, ServerLogEntry } from 'messaging-automation/server';
import { askWith, field, phone, startServer } from './reference.js';

const allEvents = ['message.received', 'contact.opted_in', 'contact.opted_out'] as const;

/** A subscription as its owner knows it. */
export interface Subscribed {
  readonly id: string;
  readonly secret: string;
}

/** A server with hands for its deliveries. */
export interface Workspace {
  readonly server: ReferenceServer;
  readonly log: readonly ServerLogEntry[];
  subscribe(url: string, events?: readonly string[]): Promise<Subscribed>;
  unsubscribe(subscription: Subscribed): Promise<void>;
  /** A contact writes. */
  receive(body?: string): Promise<void>;
  /** How the deliveries stand, with the error of each attempt. */
  outcomes(): Promise<readonly (readonly [status: string, errors: readonly (string | undefined)[]])[]>;
}

export function openWorkspace(options: ReferenceServerOptions = {}): Workspace {
  const log: ServerLogEntry[] = [];
  const server = startServer({ log: (entry) => log.push(entry), ...options });
  const ask = askWith(server);
  return {
    server,
    log,
    async subscribe(url, events = allEvents) {
      const { body } = await ask('POST', '/v1/webhooks', { url, events });
      return { id: String(field(body, 'id')), secret: String(field(body, 'secret')) };
    },
    async unsubscribe({ id }) {
      await ask('DELETE', `/v1/webhooks/${id}`);
    },
    async receive(body = 'Hello') {
      await server.simulate.inboundMessage({ phone, body });
    },
    async outcomes() {
      const deliveries = await server.journal.deliveries();
      return deliveries.map(({ status, attempts }) => [status, attempts.map(({ error }) => error)]);
    },
  };
}

/** The signature as document §6 describes it, made without this package. */
export function hmac(secret: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}
