import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import { fieldOf, jsonFrom } from '../exchange/body.js';
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
  /** The field `data` of the body. */
  readonly data: unknown;
  /** What the attempts to deliver one event have in common: the message's id, or the data. */
  readonly key: string;
  /** When it arrived, in milliseconds since the epoch. */
  readonly at: number;
}

/** A status; `redirect-` and a status, with a location where nobody receives; no response; or a 200 that comes too late. */
export type PlannedResponse = number | `redirect-${number}` | 'cut' | 'late';

/** A receiver that a subscription delivers to: its events, and its responses to the attempts of each. It repeats the last one. */
export interface Receiver {
  readonly events: readonly WebhookEventType[];
  readonly responses: readonly PlannedResponse[];
}

/** When a late response comes, in milliseconds: well after the five seconds that a receiver has. */
const lateAfter = 7_000;

/** In bytes. A delivery has a few hundred bytes. The listener refuses a longer body than this. */
const bodyLimit = 1024 * 1024;

/** More deliveries than a run provokes. The listener responds to further deliveries and does not keep them. */
const deliveryLimit = 1_000;

/** What was delivered to this machine. */
export interface DeliveryListener {
  /** All deliveries, in the order of arrival. */
  readonly deliveries: readonly ReceivedDelivery[];
  /** The URL that a subscription of this receiver has. */
  readonly urlOf: (receiver: string) => string;
  /** How many deliveries this receiver got. */
  readonly count: (name: string) => number;
  /** Waits until the condition is true, for at most this many milliseconds, and returns whether it is true. */
  until(isSo: () => boolean, wait: number): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Listens for deliveries on this machine, and keeps those to one of the receivers.
 *
 * @throws Error if the port is not free.
 */
export async function listenForDeliveries(
  { clock, signal, ...settings }: Settings,
  receivers: ReadonlyMap<string, Receiver>,
): Promise<DeliveryListener> {
  const { port = 0, host = '127.0.0.1', url } = settings.deliveries ?? {};
  const { createServer } = await import('node:http');
  const deliveries: ReceivedDelivery[] = [];
  /** Looks whether what is waited for has come. */
  let look = () => {};
  const reply = (response: ServerResponse, planned: PlannedResponse) => {
    if (planned === 'cut') response.destroy();
    else if (planned === 'late') {
      const cancel = clock.setTimer(() => response.writeHead(200).end(), lateAfter);
      response.once('close', cancel);
    } else if (typeof planned === 'number') response.writeHead(planned).end();
    else response.writeHead(Number(planned.slice('redirect-'.length)), { Location: urlOf('nobody') }).end();
  };
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
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
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
    const json = jsonFrom(() => decoder.decode(body));
    const data = fieldOf(json, 'data');
    const key = JSON.stringify(fieldOf(data, 'messageId') ?? data ?? null);
    const attempts = deliveries.filter((each) => each.receiver === receiver && each.key === key).length;
    const { responses = [] } = receivers.get(receiver) ?? {};
    const planned = responses[Math.min(attempts, responses.length - 1)];
    reply(response, planned ?? 404);
    if (planned === undefined || deliveries.length >= deliveryLimit) return;
    const method = request.method ?? '';
    deliveries.push({ method, receiver, headers, body, json, data, key, at: clock.now() });
    look();
  };
  const server = createServer((request, response) => {
    // A service may send again at once what a kept connection lost. That would count as one more attempt here.
    response.setHeader('Connection', 'close');
    receive(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const ownPort = typeof address === 'object' ? address?.port : undefined;
  const own = `http://${host.includes(':') ? `[${host}]` : host}:${ownPort}`;
  const urlOf = (receiver: string) => `${(url ?? own).replace(/\/+$/, '')}/${receiver}`;
  return {
    deliveries,
    urlOf,
    count: (name) => deliveries.filter(({ receiver }) => receiver === name).length,

    async until(isSo, wait) {
      const coming = new Promise<void>((resolve) => {
        look = () => {
          if (isSo()) resolve();
        };
      });
      look();
      await within(clock, wait, signal, () => coming);
      return isSo();
    },

    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
