import type { Server } from 'node:http';

/** Where a server can be reached. */
export interface ListenOptions {
  /** The port; 0, or nothing, for any that is free. */
  readonly port?: number | undefined;
  /** The address to listen on; `127.0.0.1` unless told, so that nobody else can reach it. */
  readonly host?: string | undefined;
}

/** Serves a fetch handler on a socket. Node's HTTP is loaded here, not before: the handler itself needs none. */
export async function listen(
  fetch: (request: Request) => Response | Promise<Response>,
  { port = 0, host = '127.0.0.1' }: ListenOptions,
): Promise<{ readonly server: Server; readonly url: string }> {
  const [{ createServer }, { getRequestListener }] = await Promise.all([
    import('node:http'),
    import('@hono/node-server'),
  ]);
  const server = createServer(getRequestListener(fetch, { overrideGlobalObjects: false }));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return { server, url: `http://${reachable(host)}:${bound}` };
}

/** Lets the requests that are under way finish, then closes the connections. */
export async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

/** The host to write into a URL: an address that stands for all of them is reached at the local one. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
