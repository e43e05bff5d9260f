import { createHmac } from 'node:crypto';
import type { ReferenceServer, ReferenceServerOptions, ServerLogEntry } from 'messaging-automation/server';
import { type Behaviour, type Receiver, startReceiver } from './receiver.js';
import { askWith, field, phone, startServer } from './reference.js';

const allEvents = ['message.received', 'contact.opted_in', 'contact.opted_out'] as const;

/** A subscription as its owner knows it. */
export interface Subscribed {
  readonly id: string;
  readonly secret: string;
}

/** A server, and what a test does with its deliveries. */
export interface Workspace {
  readonly server: ReferenceServer;
  readonly log: readonly ServerLogEntry[];
  subscribe(url: string, events?: readonly string[]): Promise<Subscribed>;
  unsubscribe(subscription: Subscribed): Promise<void>;
  /** A contact writes. */
  receive(body?: string): Promise<void>;
  /** A contact writes. Resolves when the attempts that follow have ended. */
  deliver(body?: string): Promise<void>;
  /** The status of each delivery, with the error of each attempt. */
  outcomes(): Promise<readonly (readonly [status: string, errors: readonly (string | undefined)[]])[]>;
  /** The status of each delivery. */
  statuses(): Promise<readonly string[]>;
}

export function openWorkspace(options: ReferenceServerOptions = {}): Workspace {
  const log: ServerLogEntry[] = [];
  const server = startServer({ log: (entry) => log.push(entry), ...options });
  const ask = askWith(server);
  const receive = async (body = 'Hello') => void (await server.simulate.inboundMessage({ phone, body }));
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
    receive,
    async deliver(body) {
      await receive(body);
      await server.settled();
    },
    async outcomes() {
      const deliveries = await server.journal.deliveries();
      return deliveries.map(({ status, attempts }) => [status, attempts.map(({ error }) => error)]);
    },
    statuses: async () => (await server.journal.deliveries()).map(({ status }) => status),
  };
}

/** A server that delivers every event to a receiver, which meets the requests with these behaviours in turn. */
export async function deliverTo(
  behaviours: readonly Behaviour[],
  options: ReferenceServerOptions = {},
): Promise<Workspace & { readonly receiver: Receiver; readonly subscription: Subscribed }> {
  const receiver = await startReceiver(...behaviours);
  const workspace = openWorkspace(options);
  return { ...workspace, receiver, subscription: await workspace.subscribe(receiver.url) };
}

/** The signature as document §6 describes it, made without this package. */
export function hmac(secret: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}
