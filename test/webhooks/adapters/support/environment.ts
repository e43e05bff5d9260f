import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { ReceiverCore } from '../../../../src/webhooks/receiver/exchange.js';
import type { Expected } from './faults.js';
import { rawExchange } from './raw-exchange.js';
import type { Seen, Sent } from './sent.js';

/** A receiver that can be sent something. */
export interface Endpoint {
  send(sent: Sent): Promise<Seen>;
  /** Resolves once nothing of it is left: no connection and no work. */
  close(): Promise<void>;
}

/** What a middleware ahead of the adapter has done: nothing, parsed the body, or read it and kept nothing. */
export type BodyState = 'plain' | 'parsed' | 'consumed';

/** An adapter in a framework: one column of the matrix. */
export interface Environment {
  readonly name: string;
  /** Opens the adapter, or returns nothing where the framework cannot have the body in this state. */
  open(receiver: ReceiverCore<unknown>, body: BodyState): Promise<Endpoint | undefined>;
  /** Where this framework responds otherwise than most do, by the name of the row. `–` leaves the row out. */
  readonly differs?: Readonly<Record<string, Expected | '–'>>;
  /** The framework's own fix, which the error about a parsed or consumed body names. */
  readonly fix: string;
}

/** Describes an environment whose endpoint is a listener of node:http. */
export function listening(
  name: string,
  fixes: Omit<Environment, 'name' | 'open'>,
  listenerOf: (
    receiver: ReceiverCore<unknown>,
    body: BodyState,
  ) => RequestListener | undefined | Promise<RequestListener | undefined>,
): Environment {
  return {
    name,
    ...fixes,
    async open(receiver, body) {
      const listener = await listenerOf(receiver, body);
      return listener && endpointOf(listener);
    },
  };
}

/** An endpoint at a port of 127.0.0.1. */
export function endpointAt(port: number, close: () => Promise<void>): Endpoint {
  const url = `http://127.0.0.1:${port}/webhooks`;
  return { send: (sent) => rawExchange(url, sent), close };
}

/** What the sender of one request sees at a listener of node:http. */
export async function seenAt(listener: RequestListener, sent: Sent): Promise<Seen> {
  const endpoint = await endpointOf(listener);
  try {
    return await endpoint.send(sent);
  } finally {
    await endpoint.close();
  }
}

/** An endpoint that serves a listener of node:http. */
export async function endpointOf(listener: RequestListener): Promise<Endpoint> {
  const server = createServer(listener);
  return endpointAt(await portOf(server), async () => {
    server.close();
    await once(server, 'close');
  });
}

/** Lets a server listen at a free port of 127.0.0.1, and gives the port. */
export async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // A TCP server that listens has no other kind of address.
}
