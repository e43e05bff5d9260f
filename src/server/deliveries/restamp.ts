/** Replaces the `timestamp` in the body of a delivery (§6). `time` is in milliseconds since the Unix epoch. */
export function restamp(body: Uint8Array, time: number): Uint8Array<ArrayBuffer> {
  const event: object = JSON.parse(new TextDecoder().decode(body));
  return new TextEncoder().encode(JSON.stringify({ ...event, timestamp: new Date(time).toISOString() }));
}
