import type { ReceivedRequest } from '../../dist/webhooks.js';
import { createWebhookReceiver, signWebhook, unwrapWebhook } from '../../dist/webhooks.js';
import type { Contestant } from '../measure/contest.js';
import { deliveryOf } from './delivery.js';

export const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

/** A delivery as it arrives: no two are the same. */
export interface SignedDelivery {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** Deliveries of about as many bytes each, with the headers that one comes with. */
export function signedDeliveries(count: number, bytes: number, name = ''): readonly SignedDelivery[] {
  return Array.from({ length: count }, (_, index) => {
    const body = Buffer.from(deliveryOf(bytes, `message_${name}${String(index).padStart(8, '0')}`));
    const headers = {
      host: 'receiver.example.com',
      'user-agent': 'messaging-automation-service/1',
      'content-type': 'application/json',
      'content-length': String(body.length),
      'x-service-signature': signWebhook(body, secret),
      connection: 'keep-alive',
    };
    return { body, headers };
  });
}

/** `unwrapWebhook` first, and the receiver that does the same and more. Each takes all deliveries, as often as it takes. */
export function createReceiverPeers(deliveries: readonly SignedDelivery[]): readonly Contestant[] {
  const again = (receiveAll: () => Promise<void> | void) => async (times: number) => {
    for (let done = 0; done < times; done += deliveries.length) await receiveAll();
  };
  const receive = (dedupe: false | undefined, read: ReadBody) =>
    again(() => receiveAll(deliveries, dedupe, read));
  return [
    {
      name: 'unwrapWebhook',
      run: again(() => {
        for (const { body, headers } of deliveries)
          unwrapWebhook(body, headers['x-service-signature'], secret);
      }),
    },
    { name: 'receiver, dedupe: false', run: receive(false, atOnce) },
    { name: 'receiver, body later', run: receive(false, later) },
    { name: 'receiver, dedupe in memory', run: receive(undefined, atOnce) },
  ];
}

/** A class, because the transpiler names each function of an object literal as it is made, which costs as much as a check. */
class ArrivedRequest implements ReceivedRequest<undefined> {
  readonly method = 'POST';
  readonly request = undefined;
  readonly headers: SignedDelivery['headers'];
  readonly #body: Uint8Array;
  readonly #read: ReadBody;

  constructor({ body, headers }: SignedDelivery, read: ReadBody) {
    this.headers = headers;
    this.#body = body;
    this.#read = read;
  }

  readBody(): Uint8Array | Promise<Uint8Array> {
    return this.#read(this.#body);
  }
}

type ReadBody = (body: Uint8Array) => Uint8Array | Promise<Uint8Array>;
const atOnce: ReadBody = (body) => body;
const later: ReadBody = async (body) => body;

/** With a receiver of its own, to which all of the deliveries are new. */
async function receiveAll(
  deliveries: readonly SignedDelivery[],
  dedupe: false | undefined,
  read: ReadBody,
): Promise<void> {
  let handled = 0;
  const receiver = createWebhookReceiver({ secret, dedupe }).on('message.received', () => {
    handled += 1;
  });
  for (const delivery of deliveries) await receiver.receive(new ArrivedRequest(delivery, read));
  if (handled !== deliveries.length) throw new Error(`The receiver handled ${handled} deliveries.`);
}
