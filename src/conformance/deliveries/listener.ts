import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Clock } from '../../foundation/clock.js';

/** A delivery as it came, its body as the very bytes. */
export interface ReceivedDelivery {
  readonly method: string;
  /** Which of the listener's receivers it came to. */
  readonly receiver: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
  /** When it came, in milliseconds since the epoch. */
  readonly at: number;
}

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  /** The URL at which others reach the listener; its own, unless told. */
  readonly url: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** Which receivers there are, each at its path, and the status that each answers with. */
  readonly receivers: Readonly<Record<string, number>>;
}

/** A delivery is a few hundred bytes; whatever is longer than this is none. */
const bodyLimit = 1024 * 1024;

/** Listens for deliveries on this machine, and keeps those that come to one of its receivers. */
export class DeliveryListener {
  readonly #options: ListenerOptions;
  readonly #url: string;
  readonly #server: Server;
  readonly #received: ReceivedDelivery[] = [];
  readonly #watchers = new Set<() => void>();

  /** @throws Error where the port cannot be had. */
  static async listen(options: ListenerOptions): Promise<DeliveryListener> {
    const { createServer } = await import('node:http');
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port, options.host, resolve);
    });
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : options.port;
    const host = options.host.includes(':') ? `[${options.host}]` : options.host;
    return new DeliveryListener(options, server, options.url ?? `http://${host}:${port}`);
  }

  private constructor(options: ListenerOptions, server: Server, url: string) {
    this.#options = options;
    this.#server = server;
    this.#url = url.replace(/\/+$/, '');
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#take(request, response).catch(() => response.destroy());
    });
  }

  /** Everything that came, in order. */
  get received(): readonly ReceivedDelivery[] {
    return this.#received;
  }

  /** How many deliveries came to a receiver. */
  count(receiver: string): number {
    return this.#received.filter((delivery) => delivery.receiver === receiver).length;
  }

  urlOf(receiver: string): string {
    return `${this.#url}/${receiver}`;
  }

  /** Waits until it is so, this many milliseconds at the most, and says whether it came to be. */
  until(isSo: () => boolean, wait: number): Promise<boolean> {
    const { clock, signal } = this.#options;
    return new Promise((resolve) => {
      const end = () => {
        cancelTimer();
        this.#watchers.delete(look);
        signal?.removeEventListener('abort', end);
        resolve(isSo());
      };
      const look = () => {
        if (isSo()) end();
      };
      const cancelTimer = clock.setTimer(end, wait);
      this.#watchers.add(look);
      signal?.addEventListener('abort', end);
      if (signal?.aborted) end();
      else look();
    });
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ''] = (request.url ?? '').split('?');
    const receiver = path.slice(path.lastIndexOf('/') + 1);
    const { receivers, clock } = this.#options;
    const status = Object.hasOwn(receivers, receiver) ? receivers[receiver] : undefined;
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of request) {
      length += chunk.length;
      if (length > bodyLimit) return void response.writeHead(413).end(() => request.destroy());
      chunks.push(chunk);
    }
    response.writeHead(status ?? 404).end();
    if (status === undefined) return;
    this.#received.push({
      method: request.method ?? '',
      receiver,
      headers: headersOf(request),
      body: new Uint8Array(Buffer.concat(chunks)),
      at: clock.now(),
    });
    for (const look of [...this.#watchers]) look();
  }
}

function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(request.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  return headers;
}
