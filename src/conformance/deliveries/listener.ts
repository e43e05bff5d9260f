import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Clock } from '../../foundation/clock.js';

/** A delivery as it came, its body as the very bytes. */
export interface Arrival {
  readonly method: string;
  /** Which of the listener's places it came to. */
  readonly place: string;
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
  /** Which places there are, each at its path, and the status that each answers with. */
  readonly places: Readonly<Record<string, number>>;
}

/** A delivery is a few hundred bytes; whatever is longer than this is none. */
const bodyLimit = 1024 * 1024;

/** Listens for deliveries on this machine, and keeps those that come to one of its places. */
export class DeliveryListener {
  readonly #options: ListenerOptions;
  readonly #url: string;
  readonly #server: Server;
  readonly #arrivals: Arrival[] = [];
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
  get arrivals(): readonly Arrival[] {
    return this.#arrivals;
  }

  /** How many deliveries came to a place. */
  count(place: string): number {
    return this.#arrivals.filter((arrival) => arrival.place === place).length;
  }

  urlOf(place: string): string {
    return `${this.#url}/${place}`;
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
    const place = path.slice(path.lastIndexOf('/') + 1);
    const { places, clock } = this.#options;
    const status = Object.hasOwn(places, place) ? places[place] : undefined;
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of request) {
      length += chunk.length;
      if (length > bodyLimit) return void response.writeHead(413).end(() => request.destroy());
      chunks.push(chunk);
    }
    response.writeHead(status ?? 404).end();
    if (status === undefined) return;
    this.#arrivals.push({
      method: request.method ?? '',
      place,
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
