import type { HeldRequests } from '../time/work.js';

/** The error of a `fetch` whose connection breaks, as in Node. */
export function connectionReset(): TypeError {
  const cause = Object.assign(new Error('The connection was reset by an injected fault.'), {
    code: 'ECONNRESET',
  });
  return new TypeError('fetch failed', { cause });
}

/** Checks the shape, not the class: another realm, or another copy of this package, has its own classes. */
export function isConnectionReset(error: unknown): boolean {
  const cause: unknown = Reflect.get(Object(error), 'cause');
  return Reflect.get(Object(cause), 'code') === 'ECONNRESET';
}

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
