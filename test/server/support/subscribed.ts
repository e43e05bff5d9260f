import { createHmac } from 'node:crypto';
import type { ReferenceServerOptions, ServerLogEntry } from 'messaging-automation/server';
import { type Behaviour, type Receiver, startReceiver } from './receiver.js';
import { askWith, field, phone, startServer } from './reference.js';

const allEvents = ['message.received', 'contact.opted_in', 'contact.opted_out'] as const;

/** A subscription as its owner knows it. */
export interface Subscribed {
  readonly id: string;
  readonly secret: string;
}

/** A server, and what a test does with its deliveries. */
export type Workspace = ReturnType<typeof openWorkspace>;

export function openWorkspace(options: ReferenceServerOptions = {}) {
  const log: ServerLogEntry[] = [];
  const server = startServer({ log: (entry) => log.push(entry), ...options });
  const ask = askWith(server);
  const receive = async (body = 'Hello') => void (await server.simulate.inboundMessage({ phone, body }));
  return {
    server,
    log,
    async subscribe(url: string, events: readonly string[] = allEvents): Promise<Subscribed> {
      const { body } = await ask('POST', '/v1/webhooks', { url, events });
      return { id: String(field(body, 'id')), secret: String(field(body, 'secret')) };
    },
    async unsubscribe({ id }: Subscribed) {
      await ask('DELETE', `/v1/webhooks/${id}`);
    },
    /** A contact writes. */
    receive,
    /** A contact writes. Resolves when the attempts that follow have ended. */
    async deliver(body?: string) {
      await receive(body);
      await server.settled();
    },
    /** The status of each delivery, with the error of each attempt. */
    async outcomes(): Promise<
      readonly (readonly [status: string, errors: readonly (string | undefined)[]])[]
    > {
      const { workspaces } = await server.state(); // also of a server that is closed
      return workspaces[0].deliveries.map(({ status, attempts }) => [
        status,
        attempts.map(({ error }) => error),
      ]);
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

/** The signature as §6 describes it, made without this package. */
export function hmac(secret: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}
