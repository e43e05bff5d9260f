import { WebhookVerificationError } from '../verification/verification-error.js';
import type { ReceivedRequest } from './exchange.js';
import type { RefusalError } from './receiver-options.js';

/**
 * Adds advice to the error if the body arrived as text, because decoding may have changed the signed bytes. A forged signature looks
 * the same, so the answer does not change.
 */
export function withAdviceOnDecodedBody(
  error: RefusalError,
  { adviceOnDecodedBody }: Pick<ReceivedRequest<unknown>, 'adviceOnDecodedBody'>,
): RefusalError {
  if (error.reason !== 'signature_mismatch') return error;
  const advice = adviceOnDecodedBody?.();
  return advice === undefined
    ? error
    : new WebhookVerificationError(error.reason, `${error.message} ${advice}`);
}
