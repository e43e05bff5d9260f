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

/** `unwrapWebhook` first, and the receiver that does the same and more. Each takes as many deliveries as there are. */
export function createReceiverPeers(deliveries: readonly SignedDelivery[]): readonly Contestant[] {
  return [
    {
      name: 'unwrapWebhook',
      run() {
        for (const { body, headers } of deliveries)
          unwrapWebhook(body, headers['x-service-signature'], secret);
      },
    },
    { name: 'receiver, dedupe: false', run: () => receiveAll(deliveries, false, atOnce) },
    { name: 'receiver, body later', run: () => receiveAll(deliveries, false, later) },
    { name: 'receiver, dedupe in memory', run: () => receiveAll(deliveries, undefined, atOnce) },
  ];
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
  for (const { body, headers } of deliveries) {
    await receiver.receive({ method: 'POST', headers, readBody: () => read(body), request: undefined });
  }
  if (handled !== deliveries.length) throw new Error(`The receiver handled ${handled} deliveries.`);
}
