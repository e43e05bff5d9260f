import type { WebhookEvent } from '../../contract/delivery.js';
import { readRawBody } from '../verification/raw-body.js';
import { readSecrets, type WebhookSecret } from '../verification/secret.js';
import { type UnwrapWebhookOptions, unwrapVerified } from '../verification/unwrap.js';
import { refusedSignature, WebhookVerificationError } from '../verification/verification-error.js';
import { indexOfSigner } from '../verification/verify.js';
import { tooLarge } from './body-faults.js';
import type { SecretOfRequest } from './receiver-options.js';

/** A delivery, and the secret that it was signed with. */
export interface VerifiedDelivery {
  readonly event: WebhookEvent;
  readonly secret: WebhookSecret;
  readonly secretIndex: number;
}

/** The options of `unwrapWebhook`, and further conditions of a receiver. */
export interface VerificationOptions extends UnwrapWebhookOptions {
  readonly maxBodyBytes: number;
  readonly workspaceId?: string | undefined;
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
  options: VerificationOptions,
): VerifiedDelivery {
  if (rawBody.byteLength > options.maxBodyBytes) throw tooLarge(options.maxBodyBytes);
  const body = readRawBody(rawBody);
  const secrets = readSecrets(secret);
  const secretIndex = indexOfSigner(body, signature, secrets);
  const signer = secrets[secretIndex];
  if (signer === undefined) throw refusedSignature(signature);
  const event = unwrapVerified(body, options);
  if (options.workspaceId !== undefined && event.workspaceId !== options.workspaceId) throw wrongWorkspace();
  return { event, secret: signer, secretIndex };
}

function wrongWorkspace(): WebhookVerificationError {
  return new WebhookVerificationError(
    'wrong_workspace',
    "The delivery is authentic, but of another workspace than the receiver's workspaceId. Check that the subscription " +
      'was created with a key of that workspace.',
  );
}
