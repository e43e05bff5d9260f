import {
  WebhookVerificationError,
  type WebhookVerificationReason,
} from '../verification/verification-error.js';
import type { ReceiverAnswer } from './exchange.js';
import type { RefusalError } from './receiver-options.js';
import { UnreadableBodyError, type UnreadableBodyReason } from './unreadable-body-error.js';

function answer(status: number, headers: Readonly<Record<string, string>> = {}): ReceiverAnswer {
  return { status, headers, body: '' };
}

/** Verified, and handled or not to be handled: the service need not send it again. */
export const acknowledged = answer(204);

/** Not now: the service sends it again. */
export const unavailable = answer(503);

/** Something here failed: the service sends it again. */
export const failed = answer(500);

export const methodNotAllowed = answer(405, { Allow: 'POST' });

const unauthenticated = answer(401);
const unusable = answer(400);

const answersToUnverified: Readonly<Record<WebhookVerificationReason, ReceiverAnswer>> = {
  missing_signature: unauthenticated,
  malformed_signature: unauthenticated,
  ambiguous_signature: unauthenticated,
  signature_mismatch: unauthenticated,
  invalid_encoding: unusable,
  invalid_json: unusable,
  unexpected_shape: unusable,
  too_old: unusable,
  too_new: unusable,
};

const answersToUnreadable: Readonly<Record<UnreadableBodyReason, ReceiverAnswer>> = {
  too_large: answer(413),
  encoded: answer(415),
  aborted: unusable,
  parsed: failed,
  consumed: failed,
};

/** Whether the sender is to blame for the error. A body that something here has parsed or read is not the sender's fault. */
export function isRefusal(error: unknown): error is RefusalError {
  if (error instanceof UnreadableBodyError) return answersToUnreadable[error.reason] !== failed;
  return error instanceof WebhookVerificationError;
}

/** The answer to a request that was refused. */
export function answerToRefusal(error: RefusalError): ReceiverAnswer {
  if (error instanceof UnreadableBodyError) return answersToUnreadable[error.reason];
  return answersToUnverified[error.reason];
}
