import type { HeldRequests } from '../time/held-requests.js';
import { connectionReset } from './connection-reset.js';

/** The first half of a text. Half of a JSON object or list is never valid JSON. */
export function firstHalf(text: string): string {
  return text.slice(0, Math.floor(text.length / 2));
}

/** Sends the first half of the bytes, and then stalls until the reader disconnects or the workspace closes. */
export function stalledBody(
  bytes: Uint8Array<ArrayBuffer>,
  heldRequests: HeldRequests,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let forget = () => {};
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.slice(0, Math.floor(bytes.byteLength / 2)));
      forget = heldRequests.add(() => controller.error(connectionReset()));
    },
    cancel: () => forget(),
  });
}
