import type { WebhookVerificationReason } from '../verification/verification-error.js';
import type { ReceiverAnswer } from './exchange.js';
import type { UnreadableBodyError, UnreadableBodyReason } from './unreadable-body-error.js';

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

/** The answer to a delivery that was refused. */
export function answerToRefused(reason: WebhookVerificationReason): ReceiverAnswer {
  const authentic = !reason.endsWith('_signature') && reason !== 'signature_mismatch';
  return authentic ? unusable : unauthenticated;
}

const answersToUnreadable: Readonly<Record<UnreadableBodyReason, ReceiverAnswer>> = {
  too_large: answer(413),
  encoded: answer(415),
  aborted: unusable,
  parsed: failed,
  consumed: failed,
};

/** The answer to a request whose body could not be had. */
export function answerToUnreadable({ reason }: UnreadableBodyError): ReceiverAnswer {
  return answersToUnreadable[reason];
}

/** Whether it is for whoever runs the receiver to mend, and not for the sender. */
export function isFaultOfSetUp({ reason }: UnreadableBodyError): boolean {
  return reason === 'parsed' || reason === 'consumed';
}
