import type { ReceivedRequest } from '../received-request.js';

/** A name or an address, with or without a port. */
const plainHost = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Returns the URL of this server from the Host header of a request. Undefined if the header is not a plain host. */
export function originOf(request: ReceivedRequest): string | undefined {
  const host = request.header('host') ?? '';
  return plainHost.test(host) ? `http://${host}` : undefined;
}
