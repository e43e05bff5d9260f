import { WebhookVerificationError } from '../verification/verification-error.js';
import { RefusedRequestError, UnreadableBodyError } from './errors.js';
import type { ReceiverResponse } from './exchange.js';
import type { RefusalError } from './receiver-options.js';

function response(status: number, headers: Readonly<Record<string, string>> = {}): ReceiverResponse {
  return { status, headers, body: '' };
}

/** The delivery is verified, and needs no other attempt. */
export const acknowledged = response(204);

/** The receiver cannot handle the delivery now. The service sends it again. */
export const unavailable = response(503);

/** Like `unavailable`, if an immediate retry would fail. */
export const busy = response(503, { 'Retry-After': '5' });

/** The receiver's side failed. The service sends the delivery again. */
export const failed = response(500);

const unauthenticated = response(401);
const unusable = response(400);

/** The response to each refusal. */
export const responsesToRefusals: Readonly<Record<RefusalError['reason'], ReceiverResponse>> = {
  wrong_method: response(405, { Allow: 'POST' }),
  draining: busy,
  overloaded: busy,
  too_large: response(413),
  encoded: response(415),
  aborted: unusable,
  stalled: unavailable,
  parsed: failed,
  consumed: failed,
  missing_signature: unauthenticated,
  malformed_signature: unauthenticated,
  ambiguous_signature: unauthenticated,
  signature_mismatch: unauthenticated,
  invalid_encoding: unusable,
  invalid_json: unusable,
  unexpected_shape: unusable,
  too_old: unusable,
  too_new: unusable,
  wrong_workspace: unusable,
};

/** Whether the error is a refusal. A body that a middleware has parsed or read is a failure of the receiver's side. */
export function isRefusal(error: unknown): error is RefusalError {
  if (error instanceof UnreadableBodyError) return responsesToRefusals[error.reason] !== failed;
  return error instanceof WebhookVerificationError || error instanceof RefusedRequestError;
}
