import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Clock } from '../../foundation/clock.js';

/** A delivery that the listener got, with the bytes of its body. */
export interface ReceivedDelivery {
  readonly method: string;
  /** The receiver that got it. */
  readonly receiver: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
  /** When it arrived, in milliseconds since the epoch. */
  readonly at: number;
}

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  /** The URL at which the deployment reaches the listener. Default: the listener's own. */
  readonly url: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** The answer to a delivery, by the attempts that its receiver got before. `undefined` if the name is no receiver's. */
  readonly answerTo: (delivery: ReceivedDelivery, before: readonly ReceivedDelivery[]) => Answer | undefined;
}

/** A status; `redirect-` and a status, with a location where nobody receives; no answer; or a 200 that comes too late. */
export type Answer = number | `redirect-${number}` | 'cut' | 'late';

/** When a late answer comes, in milliseconds: well after the five seconds that a receiver has. */
const lateAfter = 7_000;

/** In bytes. A delivery has a few hundred bytes. The listener refuses a longer body than this. */
const bodyLimit = 1024 * 1024;

/** More deliveries than a run provokes. The listener responds to further deliveries and does not keep them. */
const deliveryLimit = 1_000;

/** Listens for deliveries on this machine, and keeps those to one of its receivers. */
export class DeliveryListener {
  readonly #options: ListenerOptions;
  readonly #url: string;
  readonly #server: Server;
  readonly #received: ReceivedDelivery[] = [];
  readonly #watchers = new Set<() => void>();
  /** Cancels the answers that are still to come. */
  readonly #late: (() => void)[] = [];

  /** @throws Error if the port is not free. */
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
      this.#receive(request, response).catch(() => response.destroy());
    });
  }

  /** All deliveries, in the order of arrival. */
  get deliveries(): readonly ReceivedDelivery[] {
    return this.#received;
  }

  /** How many deliveries each of these receivers got at least. */
  count(...receivers: readonly string[]): number {
    return Math.min(
      ...receivers.map((name) => this.#received.filter(({ receiver }) => receiver === name).length),
    );
  }

  urlOf(receiver: string): string {
    return `${this.#url}/${receiver}`;
  }

  /** Waits until the condition is true, for at most this many milliseconds, and returns whether it is true. */
  until(isSo: () => boolean, wait: number): Promise<boolean> {
    const { clock, signal } = this.#options;
    return new Promise((resolve) => {
      let cancelTimer = () => {};
      const end = () => {
        cancelTimer();
        this.#watchers.delete(look);
        signal?.removeEventListener('abort', end);
        resolve(isSo());
      };
      const look = () => {
        if (isSo()) end();
      };
      cancelTimer = clock.setTimer(end, wait);
      this.#watchers.add(look);
      signal?.addEventListener('abort', end);
      if (signal?.aborted) end();
      else look();
    });
  }

  async close(): Promise<void> {
    for (const cancelAnswer of this.#late) cancelAnswer();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ''] = (request.url ?? '').split('?');
    const receiver = path.slice(path.lastIndexOf('/') + 1);
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of request) {
      length += chunk.length;
      if (length > bodyLimit) return void response.writeHead(413).end(() => request.destroy());
      chunks.push(chunk);
    }
    const delivery = {
      method: request.method ?? '',
      receiver,
      headers: headersOf(request),
      body: new Uint8Array(Buffer.concat(chunks)),
      at: this.#options.clock.now(),
    };
    const before = this.#received.filter((each) => each.receiver === receiver);
    const answer = this.#options.answerTo(delivery, before);
    this.#answer(response, answer ?? 404);
    if (answer === undefined || this.#received.length >= deliveryLimit) return;
    this.#received.push(delivery);
    for (const look of [...this.#watchers]) look();
  }

  #answer(response: ServerResponse, answer: Answer): void {
    if (answer === 'cut') response.destroy();
    else if (answer === 'late')
      this.#late.push(this.#options.clock.setTimer(() => response.writeHead(200).end(), lateAfter));
    else if (typeof answer === 'number') response.writeHead(answer).end();
    else
      response.writeHead(Number(answer.slice('redirect-'.length)), { Location: this.urlOf('nobody') }).end();
  }
}

function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(request.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  return headers;
}
