import { signatureHeader } from '../../contract/delivery.js';
import { readRawBody } from '../verification/raw-body.js';
import { readSecrets, type WebhookSecret } from '../verification/secret.js';
import { readSignature, type WebhookSignature } from '../verification/signature.js';
import { type UnwrapWebhookOptions, unwrapVerified } from '../verification/unwrap.js';
import { refusedSignature, WebhookVerificationError } from '../verification/verification-error.js';
import { indexOfSigner } from '../verification/verify.js';
import { RefusedRequestError, tooLarge, UnreadableBodyError } from './errors.js';
import type { ReceivedHeaders, ReceivedRequest } from './exchange.js';
import type { SecretOfRequest } from './receiver-options.js';

const signatureHeaderName = signatureHeader.toLowerCase();

/** The bytes of a delivery and what signed them, not verified. */
export interface SignedBytes {
  readonly rawBody: Uint8Array;
  /** 64 hex digits. */
  readonly signature: string;
}

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
  if (method.toUpperCase() !== 'POST') {
    throw new RefusedRequestError(
      'wrong_method',
      'The request is not a POST, so it is not a delivery. A browser, a crawler or a health check may have sent it.',
    );
  }
  const header = receivedHeader(headers, signatureHeaderName);
  const signature = readSignature(header);
  if (signature === undefined) throw refusedSignature(header);
  const encoding = String(receivedHeader(headers, 'content-encoding') ?? '').trim();
  if (encoding !== '' && encoding.toLowerCase() !== 'identity') {
    // The signature is over the uncompressed bytes. Decompressing an unverified body would allow a decompression bomb.
    throw new UnreadableBodyError(
      'encoded',
      'The body is compressed (it has a Content-Encoding), which the service never does. ' +
        'If a proxy in front of the receiver compresses requests, turn that off.',
    );
  }
  if (Number(receivedHeader(headers, 'content-length')) > maxBodyBytes) throw tooLarge(maxBodyBytes);
  return signature;
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

/** The secrets of a request's subscription. */
export async function askForSecrets<Request>(
  secretOf: SecretOfRequest<Request>,
  request: Request,
): Promise<WebhookSecret | readonly WebhookSecret[]> {
  const found = await secretOf(request);
  if (found !== undefined && found !== null && !(Array.isArray(found) && found.length === 0)) return found;
  throw new WebhookVerificationError(
    'signature_mismatch',
    'The delivery is for a subscription whose secret is not known. Keep the secret that the service returns when it ' +
      'creates the subscription.',
  );
}

/**
 * Verifies the bytes of a body, reads the event, and finds the secret that signed it.
 *
 * @throws WebhookVerificationError or UnreadableBodyError, with a reason. TypeError for an invalid secret.
 */
export function verifyDelivery(
  rawBody: Uint8Array,
  signature: string,
  secret: WebhookSecret | readonly WebhookSecret[],
  options: UnwrapWebhookOptions & { readonly workspaceId?: string | undefined },
) {
  const body = readRawBody(rawBody);
  const secrets = readSecrets(secret);
  const secretIndex = indexOfSigner(body, signature, secrets);
  const signer = secrets[secretIndex];
  if (signer === undefined) throw refusedSignature(signature);
  const event = unwrapVerified(body, options);
  if (options.workspaceId !== undefined && event.workspaceId !== options.workspaceId) {
    throw new WebhookVerificationError(
      'wrong_workspace',
      "The delivery is authentic, but of another workspace than the receiver's workspaceId. Check that the subscription " +
        'was created with a key of that workspace.',
    );
  }
  return { event, secret: signer, secretIndex };
}
