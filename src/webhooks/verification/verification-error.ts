import { describeErrorClass, MessagingAutomationError } from '../../foundation/base-error.js';
import { faultOfSignature, readSignature } from './signature.js';

/**
 * Why a delivery was refused.
 *
 * - `missing_signature`: no signature header.
 * - `malformed_signature`: something other than 64 hex digits.
 * - `ambiguous_signature`: several values.
 * - `signature_mismatch`: a signature of the right form, made over other bytes or with another secret.
 * - `invalid_encoding`: signed rightly, but the body is not UTF-8.
 * - `invalid_json`: signed rightly, but the body is not JSON.
 * - `unexpected_shape`: signed rightly, but not the shape that the document shows.
 * - `too_old`, `too_new`: signed rightly, but its timestamp lies outside the replay window.
 * - `wrong_workspace`: signed rightly, but of another workspace than the receiver's `workspaceId`.
 *
 * The first four say that the sender is not known to be the service; the others that it is.
 *
 * @example
 * ```ts
 * import type { WebhookVerificationReason } from 'messaging-automation/webhooks';
 *
 * const isAuthentic = (reason: WebhookVerificationReason) =>
 *   !reason.endsWith('_signature') && reason !== 'signature_mismatch';
 * ```
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
 * A delivery that is not to be trusted or cannot be used (document §6). Holds neither the secret nor the
 * expected signature nor anything of the body, so it may be logged; answer the sender with a status alone.
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

  /** Why, for a program. */
  readonly reason: WebhookVerificationReason;

  /**
   * How far the delivery's timestamp lies behind this machine's clock, in milliseconds; negative when it lies
   * ahead. Known for `too_old` and `too_new` only.
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
    'has no X-Service-Signature header. Pass the header on; without it nobody vouches for the body.',
  ambiguous_signature:
    'has several signatures. Pass exactly one; a proxy that repeats headers, or an attacker, sends more.',
  malformed_signature:
    'has a signature that is not exactly 64 hex digits. Pass the header as it was received.',
  signature_mismatch:
    'has a signature made over other bytes or with another secret. Hash the bytes as they were received, ' +
    'not JSON written anew, with the whole secret of this subscription, "whsec_" included.',
};

/** The error for a signature that did not verify. */
export function refusedSignature(signature: unknown): WebhookVerificationError {
  const reason = readSignature(signature) === undefined ? faultOfSignature(signature) : 'signature_mismatch';
  return new WebhookVerificationError(reason, `The delivery ${advice[reason]}`);
}
