import type { WebhookSignature } from '../verification/signature.js';
import type { ReceivedHeaders } from './exchange.js';

/** Returns the value of a header by its lowercase name, or all values if there are several. Ignores the case of names. */
export function receivedHeader(headers: ReceivedHeaders, name: string): WebhookSignature {
  if (isHeaders(headers)) return headers.get(name);
  let found: string | readonly string[] | undefined;
  // Loop with `in`, because a new list of names for each request takes longer.
  for (const key in headers) {
    if (key.length !== name.length || key.toLowerCase() !== name || !Object.hasOwn(headers, key)) continue;
    const value = headers[key];
    // A header in two spellings counts as sent twice.
    if (value !== undefined) found = found === undefined ? value : [found, value].flat();
  }
  return found;
}

/** Checks the methods and not the class, because a framework may have its own class. */
function isHeaders(headers: ReceivedHeaders): headers is Headers {
  return typeof headers.get === 'function';
}
