import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type Server as NetServer } from 'node:net';
import { type ClientOptions, MessagingAutomation, type Workspace } from 'messaging-automation';
import { onTestFinished } from 'vitest';
import { until, within } from '../../waiting.js';
import type { Behaviour, ReceivedRequest } from './behaviours.js';
import { eagerClock } from './clocks.js';
import { apiKey, send } from './samples.js';

export interface Service {
  readonly baseUrl: string;
  /** The requests that arrived whole. */
  readonly requests: readonly ReceivedRequest[];
  /** Resolves when this many requests have arrived. */
  readonly received: (count: number) => Promise<void>;
}

/** A service on a socket of this machine that responds as the test says, until the test has finished. */
export async function startService(behave: Behaviour): Promise<Service> {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const received = { method, url, headers, body: Buffer.concat(chunks).toString() };
    requests.push(received);
    behave(response, received, requests.length);
  });
  const baseUrl = await listen(server);
  onTestFinished(async () => {
    server.closeAllConnections();
    await stop(server);
  });
  const seen = () => requests.length;
  const received = (count: number) => until(`${count} requests`, () => requests.length >= count, seen);
  return { baseUrl, requests, received };
}

/** A service that resets each connection as soon as something comes in, and reads none of it. */
export async function startUnreadingService(): Promise<{ baseUrl: string; arrived: () => number }> {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections += 1;
    socket.once('readable', () => socket.resetAndDestroy());
  });
  const baseUrl = await listen(server);
  onTestFinished(() => stop(server));
  return { baseUrl, arrived: () => connections };
}

/** A base URL where nobody listens. */
export async function deserted(): Promise<string> {
  const server = createTcpServer();
  const baseUrl = await listen(server);
  await stop(server);
  return baseUrl;
}

/** Lets a server listen on a port of this machine, and gives the base URL of the API there. */
export async function listen(server: NetServer): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return `http://127.0.0.1:${address.port}/api`;
}

async function stop(server: NetServer): Promise<void> {
  server.close();
  await once(server, 'close');
}

/** A client of the service whose drift must not be, unless the test expects it. */
export function clientOf<W extends Workspace = Workspace>(
  { baseUrl }: Pick<Service, 'baseUrl'>,
  options: ClientOptions<W> = {},
): MessagingAutomation<W> {
  const onDrift = () => {
    throw new Error('Drift was not expected.');
  };
  return new MessagingAutomation({ apiKey, baseUrl, onDrift, ...options });
}

/** A service that responds as the test says, and a client of it whose waits between attempts are over at once. */
export async function startClient(behave: Behaviour, options: ClientOptions = {}) {
  const service = await startService(behave);
  return { ...service, messaging: clientOf(service, { clock: eagerClock(), ...options }) };
}

export type Call = (messaging: MessagingAutomation) => Promise<unknown>;

export const sendOne: Call = ({ transactional }) => transactional.send(send);
export const listTemplates: Call = ({ templates }) => templates.list();

/** What a call to a service rejects with, and the requests that arrived there. */
export async function failure(behave: Behaviour, call: Call = sendOne, options: ClientOptions = {}) {
  const { messaging, requests } = await startClient(behave, options);
  return { error: await rejection(call(messaging)), requests };
}

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const [result] = await within('a promise to settle', Promise.allSettled([promise]));
  if (result.status === 'rejected') return result.reason;
  throw new Error('The promise was expected to reject.');
}

/** Collects the warnings of the process until the test has finished. */
export function noteEvents(name: 'warning' | 'unhandledRejection'): readonly unknown[] {
  const noted: unknown[] = [];
  const note = (event: unknown) => void noted.push(event);
  process.on(name, note);
  onTestFinished(() => void process.off(name, note));
  return noted;
}
