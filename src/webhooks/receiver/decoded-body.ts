import { WebhookVerificationError } from '../verification/verification-error.js';
import type { ReceivedRequest } from './exchange.js';
import type { RefusalError } from './receiver-options.js';

/**
 * The same error, with what to do about it where the body came as text: decoding may have changed the bytes that were
 * signed. A forged signature looks the same, so the answer is that for a forged signature.
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
