import type { Bytes } from '../../foundation/bytes.js';

/** Replaces the `timestamp` in the body of a delivery. `time` is in milliseconds since the Unix epoch. */
function restamp(body: Bytes, time: number): Bytes {
  const event: object = JSON.parse(new TextDecoder().decode(body));
  return new TextEncoder().encode(JSON.stringify({ ...event, timestamp: new Date(time).toISOString() }));
}

/** Returns the exact bytes of an attempt, without the changes of an injected fault. */
export function bytesOf(body: Bytes, timestamp: number | undefined): Bytes {
  return timestamp === undefined ? body : restamp(body, timestamp);
}
