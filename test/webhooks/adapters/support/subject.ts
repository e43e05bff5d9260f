import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReceiverCore } from '../../../../src/webhooks/receiver/exchange.js';
import type { Arrangement, Expected } from './faults.js';
import { rawExchange } from './raw-exchange.js';
import type { Seen, Sent } from './sent.js';

/** One adapter in its framework, ready to be sent something. */
export interface Site {
  send(sent: Sent): Promise<Seen>;
  /** Resolves once nothing of it is left: no connection and no work. */
  close(): Promise<void>;
}

/** An adapter to put through the matrix: one column of it. */
export interface Subject {
  readonly name: string;
  /** Opens the adapter in its framework, or gives nothing where there is no such arrangement in it. */
  open(receiver: ReceiverCore<unknown>, arrangement: Arrangement): Promise<Site | undefined>;
  /** Where this framework may answer otherwise than most do, by the name of the row. `–` leaves the row out. */
  readonly differs?: Readonly<Record<string, Expected | '–'>>;
}

/** A site of anything that listens on 127.0.0.1. */
export function socketSite(port: number, close: () => Promise<void>): Site {
  const url = `http://127.0.0.1:${port}/webhooks`;
  return { send: (sent) => rawExchange(url, sent), close };
}

/** A site of anything that is a listener of node:http. */
export async function listeningSite(listener: RequestListener): Promise<Site> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A TCP server that listens has no other kind of address.
  return socketSite(port, async () => {
    server.close();
    await once(server, 'close');
  });
}
