import { signatureHeader } from '../../contract/delivery.js';
import { readSignature, type WebhookSignature } from '../verification/signature.js';
import { refusedSignature } from '../verification/verification-error.js';
import { compressed, tooLarge } from './body-faults.js';
import type { ReceivedRequest } from './exchange.js';
import { receivedHeader } from './received-header.js';
import { RefusedRequestError } from './refused-request-error.js';

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
