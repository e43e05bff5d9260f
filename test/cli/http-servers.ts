import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';
import { freePort } from '../run/free-port.js';

/** Responds to requests on this machine until the test is over. Default port: a free one. Returns the URL. */
export async function serveRequests(listener: RequestListener, port = 0): Promise<string> {
  const server = createServer(listener).listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address: { readonly port?: unknown } = Object(server.address());
  return `http://127.0.0.1:${address.port}`;
}

/** A deployment that responds to every request in the same way. It is no reference server. */
export function serveResponse(status: number, contentType: string, body: string): Promise<string> {
  return serveRequests((_, response) =>
    response.writeHead(status, { 'Content-Type': contentType }).end(body),
  );
}

/** The URL of a port on which nothing listens any more. */
export async function nowhere(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}
