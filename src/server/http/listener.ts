import type { Server } from 'node:http';
import type { Clock } from '../../foundation/clock.js';
import type { Connection } from '../faults/broken-body.js';
import { isConnectionReset } from '../faults/connection-reset.js';
import { invalidRequest } from '../service/service-error.js';
import { errorAnswer, toResponse } from './answers.js';

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

/** Serves a fetch handler on a socket. Node's HTTP is loaded here, not before: the handler itself needs none. */
export async function listen(
  fetch: (request: Request, connection: Connection) => Promise<Response>,
  { port = 0, host = '127.0.0.1' }: ListenOptions,
): Promise<{ readonly server: Server; readonly url: string }> {
  const [{ createServer, IncomingMessage }, { getRequestListener }] = await Promise.all([
    import('node:http'),
    import('@hono/node-server'),
  ]);
  const answer = (request: Request, { incoming }: { readonly incoming: unknown }) =>
    fetch(request, {
      reset() {
        if (incoming instanceof IncomingMessage) incoming.socket.resetAndDestroy();
      },
    });
  const listener = getRequestListener(answer, {
    overrideGlobalObjects: false,
    errorHandler: (error) => (isConnectionReset(error) ? undefined : refuseUnreadable()),
  });
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return { server, url: `http://${reachable(host)}:${bound}` };
}

/** How long the requests under way may take to finish when the server is closed. In milliseconds. */
const grace = 1_000;

/** Lets the requests that are under way finish, then closes the connections. */
export async function close(server: Server, clock: Clock): Promise<void> {
  await new Promise<void>((resolve) => {
    // A connection that has sent nothing, or half a request, would otherwise be waited for without end.
    const cancelTimer = clock.setTimer(() => server.closeAllConnections(), grace);
    server.close(() => {
      cancelTimer();
      resolve();
    });
    server.closeIdleConnections();
    // And those that are answered from now on need not stay open for another request.
    server.keepAliveTimeout = 1;
  });
}

/** A request that cannot be made sense of before anybody looks at it. */
function refuseUnreadable(): Response {
  return toResponse(
    errorAnswer(
      invalidRequest([
        { field: '', message: 'cannot be reached: the request line or the Host header is not valid' },
      ]),
    ),
  );
}

/** The host to write into a URL: an address that stands for all of them is reached at the local one. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
