import { signatureHeader } from '../../contract/delivery.js';
import { readSignature, type WebhookSignature } from '../verification/signature.js';
import { refusedSignature } from '../verification/verification-error.js';
import { compressed, tooLarge } from './body-faults.js';
import { RefusedRequestError } from './errors.js';
import type { ReceivedHeaders, ReceivedRequest } from './exchange.js';

const signatureHeaderName = signatureHeader.toLowerCase();

/**
 * Refuses a request before its body is read: a method other than POST, a missing or malformed signature, or a body that is compressed or
 * too large.
 *
 * @returns The 64 digits of the signature.
 * @throws RefusedRequestError, WebhookVerificationError or UnreadableBodyError.
 */
export function checkBeforeReading(
  { method, headers }: Pick<ReceivedRequest<unknown>, 'method' | 'headers'>,
  maxBodyBytes: number,
): string {
  if (method.toUpperCase() !== 'POST') throw wrongMethod();
  const header = receivedHeader(headers, signatureHeaderName);
  const signature = readSignature(header);
  if (signature === undefined) throw refusedSignature(header);
  if (isCompressed(receivedHeader(headers, 'content-encoding'))) throw compressed();
  if (Number(receivedHeader(headers, 'content-length')) > maxBodyBytes) throw tooLarge(maxBodyBytes);
  return signature;
}

function wrongMethod(): RefusedRequestError {
  return new RefusedRequestError(
    'wrong_method',
    'The request is not a POST, so it is not a delivery. A browser, a crawler or a health check may have sent it.',
  );
}

function isCompressed(encoding: WebhookSignature): boolean {
  const value = (typeof encoding === 'string' ? encoding : encoding?.join())?.trim().toLowerCase();
  return value !== undefined && value !== '' && value !== 'identity';
}

/** Returns the value of a header by its lowercase name, or all values if there are several. Ignores the case of names. */
function receivedHeader(headers: ReceivedHeaders, name: string): WebhookSignature {
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
