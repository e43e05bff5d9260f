export const sent = (): Response => Response.json({ success: true });

/** An accepted upsert. */
export const upserted = (): Response => Response.json({ id: 'c1', properties: {} }, { status: 201 });

/** An error of the service itself, in JSON and with a code. */
export function refusal(status: number, code: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error: { code, message: 'No.' } }, { status, headers });
}

/** A 429, with or without `Retry-After`. */
export const busy = (retryAfter?: string): Response =>
  refusal(429, 'rate_limited', retryAfter === undefined ? {} : { 'retry-after': retryAfter });

/** An error of something between the client and the service, such as a gateway. */
export const page = (status: number): Response =>
  new Response('<html><h1>No.</h1></html>', { status, headers: { 'content-type': 'text/html' } });

/** An error such as `fetch` throws when the connection fails. */
export function connectionError(code: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
}
