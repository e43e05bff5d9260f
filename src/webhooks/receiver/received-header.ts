import type { WebhookSignature } from '../verification/signature.js';
import type { ReceivedHeaders } from './exchange.js';

/** A header's value by its lowercase name, however the framework spells it; every value there is, if several. */
export function receivedHeader(headers: ReceivedHeaders, name: string): WebhookSignature {
  if (isHeaders(headers)) return headers.get(name);
  let found: string | readonly string[] | undefined;
  // A list of the names, made anew for every request, would cost more than looking at them.
  for (const key in headers) {
    if (key.length !== name.length || key.toLowerCase() !== name || !Object.hasOwn(headers, key)) continue;
    const value = headers[key];
    // The same header by two spellings is a header sent twice.
    if (value !== undefined) found = found === undefined ? value : [found, value].flat();
  }
  return found;
}

/** By what it does, because a framework may bring a class of its own. */
function isHeaders(headers: ReceivedHeaders): headers is Headers {
  return typeof headers.get === 'function';
}
