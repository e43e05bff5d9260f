import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';

/** Answers requests on a free port of this machine until the test is over. Returns the URL. */
export async function serveRequests(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return urlOf(server.address());
}

/** A deployment that answers every request in the same way. It is no reference server. */
export function serveAnswer(status: number, contentType: string, body: string): Promise<string> {
  return serveRequests((_, response) =>
    response.writeHead(status, { 'Content-Type': contentType }).end(body),
  );
}

/** The URL of a port on which nothing listens any more. */
export async function nowhere(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = urlOf(server.address());
  await new Promise((resolve) => server.close(resolve));
  return url;
}

function urlOf(address: unknown): string {
  const { port }: { readonly port?: unknown } = Object(address);
  return `http://127.0.0.1:${port}`;
}
