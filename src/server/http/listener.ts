import type { RequestListener, Server } from 'node:http';
import type { Clock } from '../../foundation/clock.js';
import type { Application } from './application.js';
import { answerIncoming } from './node-edge.js';

/** Options of `listen`: the port and the host. */
export interface ListenOptions {
  /** The port. Default: 0, which means any free port. */
  readonly port?: number | undefined;
  /** The address to listen on. Default: `127.0.0.1`, which only this machine can reach. */
  readonly host?: string | undefined;
}

/** Serves the application on a socket. Only this function loads Node's HTTP, because the application itself does not need it. */
export async function listen(
  application: Application,
  clock: Clock,
  { port = 0, host = '127.0.0.1' }: ListenOptions,
): Promise<{ readonly server: Server; readonly url: string }> {
  const { createServer } = await import('node:http');
  const answer: RequestListener = (incoming, response) =>
    answerIncoming(application, clock, incoming, response);
  const server = createServer(answer);
  // The server refuses a body that is too large before the client sends it.
  server.on('checkContinue', answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return { server, url: `http://${reachable(host)}:${bound}` };
}

/** Accepts no more connections. Resolves when all running requests have responses and their connections have ended. */
export function stopListening(server: Server): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // Close each connection after its response, instead of waiting for another request.
  server.keepAliveTimeout = 1;
  return ended;
}

/** Returns the host for a URL. Replaces a wildcard address with the loopback address. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
