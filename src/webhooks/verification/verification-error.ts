import { describeErrorClass, MessagingAutomationError } from '../../foundation/base-error.js';
import { faultOfSignature, readSignature } from './signature.js';

/**
 * The reason for which a delivery was refused.
 *
 * - `missing_signature`: no signature header.
 * - `malformed_signature`: something other than 64 hex digits.
 * - `ambiguous_signature`: several values.
 * - `signature_mismatch`: a signature of the right form, made over other bytes or with another secret.
 * - `invalid_encoding`: correctly signed, but the body is not UTF-8.
 * - `invalid_json`: correctly signed, but the body is not JSON.
 * - `unexpected_shape`: correctly signed, but without the documented `event`, `timestamp` and `data`.
 * - `too_old`, `too_new`: correctly signed, but its timestamp is outside of the replay window.
 * - `wrong_workspace`: correctly signed, but from another workspace than the receiver's `workspaceId`.
 *
 * With the first four, the sender may not be the service. With the others, it is.
 */
export type WebhookVerificationReason =
  | 'missing_signature'
  | 'malformed_signature'
  | 'ambiguous_signature'
  | 'signature_mismatch'
  | 'invalid_encoding'
  | 'invalid_json'
  | 'unexpected_shape'
  | 'too_old'
  | 'too_new'
  | 'wrong_workspace';

/**
 * A delivery that is not authentic, or not usable. It contains no secret, no expected signature and no part of the body, so you can
 * log it. Respond to the sender with a status only.
 *
 * @example
 * ```ts
 * import { unwrapWebhook, WebhookVerificationError } from 'messaging-automation/webhooks';
 *
 * try {
 *   unwrapWebhook('{}', undefined, 'whsec_example');
 * } catch (error) {
 *   if (!(error instanceof WebhookVerificationError)) throw error;
 *   console.error(error.reason, error.message); // missing_signature ...
 * }
 * ```
 */
export class WebhookVerificationError extends MessagingAutomationError {
  static {
    describeErrorClass(this, 'WebhookVerificationError');
  }

  /** The reason, for code. */
  readonly reason: WebhookVerificationReason;

  /**
   * How far the delivery's timestamp is behind this machine's clock, in milliseconds. Negative if it is ahead. Only for `too_old` and
   * `too_new`.
   */
  readonly skew: number | undefined;

  constructor(reason: WebhookVerificationReason, message: string, skew?: number) {
    super(message);
    this.reason = reason;
    this.skew = skew;
  }
}

const advice = {
  missing_signature:
    'has no X-Service-Signature header. Pass the header on: without it, the body cannot be verified.',
  ambiguous_signature:
    'has several signatures. Pass exactly one; a proxy that repeats headers, or an attacker, sends more.',
  malformed_signature:
    'has a signature that is not exactly 64 hex digits. Pass the header as it was received.',
  signature_mismatch:
    'has a signature made over other bytes or with another secret. Hash the bytes as they were received, ' +
    'not JSON serialized again, with the whole secret of this subscription, "whsec_" included.',
};

/** The error for a signature that did not verify. */
export function refusedSignature(signature: unknown): WebhookVerificationError {
  const reason = readSignature(signature) === undefined ? faultOfSignature(signature) : 'signature_mismatch';
  return new WebhookVerificationError(reason, `The delivery ${advice[reason]}`);
}
