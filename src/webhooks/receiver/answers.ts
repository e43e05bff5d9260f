import { WebhookVerificationError } from '../verification/verification-error.js';
import { ReceiverError, RefusedRequestError, UnreadableBodyError } from './errors.js';
import type { ReceiverAnswer } from './exchange.js';
import type { RefusalError } from './receiver-options.js';

function answer(status: number, headers: Readonly<Record<string, string>> = {}): ReceiverAnswer {
  return { status, headers, body: '' };
}

/** The delivery is verified, and needs no other attempt. */
export const acknowledged = answer(204);

/** The receiver cannot handle the delivery now. The service sends it again. */
export const unavailable = answer(503);

/** Like `unavailable`, if an immediate retry would fail. */
const busy = answer(503, { 'Retry-After': '5' });

/** The receiver's side failed. The service sends the delivery again. */
export const failed = answer(500);

const unauthenticated = answer(401);
const unusable = answer(400);

const answersToRefusals: Readonly<Record<RefusalError['reason'], ReceiverAnswer>> = {
  wrong_method: answer(405, { Allow: 'POST' }),
  draining: busy,
  overloaded: busy,
  too_large: answer(413),
  encoded: answer(415),
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

/** Asks the sender to close the connection, so that its next delivery reaches another process. */
export function onLastConnection({ status, headers, body }: ReceiverAnswer): ReceiverAnswer {
  return { status, headers: { ...headers, Connection: 'close' }, body };
}

/** Returns the answer to a request that failed. */
export function answerToFailure(error: unknown): ReceiverAnswer {
  return error instanceof ReceiverError && error.reason === 'overloaded' ? busy : failed;
}

/** Whether the error is a refusal. A body that a middleware has parsed or read is a failure of the receiver's side. */
export function isRefusal(error: unknown): error is RefusalError {
  if (error instanceof UnreadableBodyError) return answerToRefusal(error) !== failed;
  return error instanceof WebhookVerificationError || error instanceof RefusedRequestError;
}

/** Returns the answer to a refused request. */
export function answerToRefusal({ reason }: RefusalError): ReceiverAnswer {
  return answersToRefusals[reason];
}
