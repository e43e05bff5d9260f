import type { RequestListener, Server } from 'node:http';
import type { Clock } from '../../foundation/clock.js';
import type { Application } from './application.js';
import { answerIncoming } from './node-edge.js';

/**
 * Where a server can be reached.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type ListenOptions } from 'messaging-automation/server';
 *
 * const anyFreePort: ListenOptions = { port: 0, host: '127.0.0.1' };
 * await using server = createReferenceServer();
 * console.log((await server.listen(anyFreePort)).baseUrl);
 * ```
 */
export interface ListenOptions {
  /** The port; 0, or nothing, for any that is free. */
  readonly port?: number | undefined;
  /** The address to listen on; `127.0.0.1` unless told, so that nobody else can reach it. */
  readonly host?: string | undefined;
}

/** Serves the application on a socket. Node's HTTP is loaded here, not before: the application itself needs none. */
export async function listen(
  application: Application,
  clock: Clock,
  { port = 0, host = '127.0.0.1' }: ListenOptions,
): Promise<{ readonly server: Server; readonly url: string }> {
  const { createServer } = await import('node:http');
  const answer: RequestListener = (incoming, response) =>
    answerIncoming(application, clock, incoming, response);
  const server = createServer(answer);
  // A body that is too large is refused before it is sent.
  server.on('checkContinue', answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return { server, url: `http://${reachable(host)}:${bound}` };
}

/** Takes no more connections. Resolves when the requests under way were answered and their connections have ended. */
export function stopListening(server: Server): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // And those that are answered from now on need not stay open for another request.
  server.keepAliveTimeout = 1;
  return ended;
}

/** The host to write into a URL: an address that stands for all of them is reached at the local one. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
