import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { until } from '../../waiting.js';

/** A request as it reached the receiver. */
export interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** How the receiver meets a request. */
export type Behaviour = (response: ServerResponse) => void;

/** A receiver on a socket of this machine. Its behaviours meet the requests in turn; the last meets all others. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  /** Resolves when this many requests have come in. Rejects if they do not come. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Responds with this status and an empty body. */
export const reply =
  (status: number): Behaviour =>
  (response) => {
    response.writeHead(status).end();
  };

/** Never responds. */
export const hang: Behaviour = () => {};

export async function startReceiver(...behaviours: readonly Behaviour[]): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url: path, headers } = request;
    const behave = behaviours[Math.min(received.length, behaviours.length - 1)] ?? reply(200);
    received.push({ method, path, headers, body: Buffer.concat(chunks) });
    behave(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const close = async () => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  onTestFinished(close);
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    port,
    received,
    close,
    arrived: (count) =>
      until(
        `${count} requests at the receiver`,
        () => received.length >= count,
        () => received.length,
      ),
  };
}
