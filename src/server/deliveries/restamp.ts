import type { Bytes } from '../../foundation/bytes.js';

/** Replaces the `timestamp` in the body of a delivery (§6). `time` is in milliseconds since the Unix epoch. */
function restamp(body: Bytes, time: number): Bytes {
  const event: object = JSON.parse(new TextDecoder().decode(body));
  return new TextEncoder().encode(JSON.stringify({ ...event, timestamp: new Date(time).toISOString() }));
}

/** The exact bytes of an attempt, without what an injected fault changed. */
export function bytesOf(body: Bytes, timestamp: number | undefined): Bytes {
  return timestamp === undefined ? body : restamp(body, timestamp);
}
