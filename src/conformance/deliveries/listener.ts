import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { jsonFrom } from '../exchange/body.js';
import { within } from '../exchange/within.js';
import type { Settings } from '../options.js';

/** A delivery that the listener got. */
export interface ReceivedDelivery {
  readonly method: string;
  /** The receiver that got it. */
  readonly receiver: string;
  readonly headers: Headers;
  readonly body: Buffer<ArrayBuffer>;
  /** The body as JSON. `undefined` if it is not JSON in UTF-8. */
  readonly json: unknown;
  /** When it arrived, in milliseconds since the epoch. */
  readonly at: number;
}

/** A status; `redirect-` and a status, with a location where nobody receives; no answer; or a 200 that comes too late. */
export type Answer = number | `redirect-${number}` | 'cut' | 'late';

/** The answer to a delivery, by the attempts that its receiver got before. `undefined` if the name is no receiver's. */
type AnswerTo = (delivery: ReceivedDelivery, before: readonly ReceivedDelivery[]) => Answer | undefined;

/** When a late answer comes, in milliseconds: well after the five seconds that a receiver has. */
const lateAfter = 7_000;

/** In bytes. A delivery has a few hundred bytes. The listener refuses a longer body than this. */
const bodyLimit = 1024 * 1024;

/** More deliveries than a run provokes. The listener responds to further deliveries and does not keep them. */
const deliveryLimit = 1_000;

/** Listens for deliveries on this machine, and keeps those to one of its receivers. */
export class DeliveryListener {
  /** All deliveries, in the order of arrival. */
  readonly deliveries: ReceivedDelivery[] = [];
  readonly #settings: Settings;
  readonly #server: Server;
  readonly #url: string;
  readonly #answerTo: AnswerTo;
  /** Looks whether what is waited for has come. */
  #look = () => {};
  /** Cancels the answers that are still to come. */
  readonly #late: (() => void)[] = [];

  /** @throws Error if the port is not free. */
  static async listen(settings: Settings, answerTo: AnswerTo): Promise<DeliveryListener> {
    const { port = 0, host = '127.0.0.1' } = settings.deliveries ?? {};
    const { createServer } = await import('node:http');
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    return new DeliveryListener(settings, server, answerTo);
  }

  private constructor(settings: Settings, server: Server, answerTo: AnswerTo) {
    const { url, host = '127.0.0.1' } = settings.deliveries ?? {};
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const own = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
    this.#settings = settings;
    this.#server = server;
    this.#answerTo = answerTo;
    this.#url = (url ?? own).replace(/\/+$/, '');
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#receive(request, response).catch(() => response.destroy());
    });
  }

  /** How many deliveries this receiver got. */
  count(name: string): number {
    return this.deliveries.filter(({ receiver }) => receiver === name).length;
  }

  urlOf(receiver: string): string {
    return `${this.#url}/${receiver}`;
  }

  /** Waits until the condition is true, for at most this many milliseconds, and returns whether it is true. */
  async until(isSo: () => boolean, wait: number): Promise<boolean> {
    const { clock, signal } = this.#settings;
    const coming = new Promise<void>((resolve) => {
      this.#look = () => {
        if (isSo()) resolve();
      };
    });
    this.#look();
    await within(clock, wait, signal, () => coming);
    return isSo();
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
    const body = Buffer.concat(chunks);
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const delivery = {
      method: request.method ?? '',
      receiver,
      headers: new Headers(
        Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
      ),
      body,
      json: jsonFrom(() => decoder.decode(body)),
      at: this.#settings.clock.now(),
    };
    const before = this.deliveries.filter((each) => each.receiver === receiver);
    const answer = this.#answerTo(delivery, before);
    this.#answer(response, answer ?? 404);
    if (answer === undefined || this.deliveries.length >= deliveryLimit) return;
    this.deliveries.push(delivery);
    this.#look();
  }

  #answer(response: ServerResponse, answer: Answer): void {
    if (answer === 'cut') response.destroy();
    else if (answer === 'late')
      this.#late.push(this.#settings.clock.setTimer(() => response.writeHead(200).end(), lateAfter));
    else if (typeof answer === 'number') response.writeHead(answer).end();
    else
      response.writeHead(Number(answer.slice('redirect-'.length)), { Location: this.urlOf('nobody') }).end();
  }
}
