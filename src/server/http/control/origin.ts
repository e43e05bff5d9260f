import type { ReceivedRequest } from '../received-request.js';

/** A name or an address, with or without a port. */
const plainHost = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** The URL of this server as the client knows it. Undefined if its Host header names no plain host. */
export function originOf(request: ReceivedRequest): string | undefined {
  const host = request.header('host') ?? '';
  return plainHost.test(host) ? `http://${host}` : undefined;
}
