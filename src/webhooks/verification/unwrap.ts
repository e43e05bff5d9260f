import type { WebhookEvent } from '../../contract/delivery.js';
import type { Clock } from '../../foundation/clock.js';
import { notify } from '../../foundation/notify.js';
import { readDelivery, unexpectedShape } from './delivery.js';
import { type WebhookDrift, warnOfDrift } from './drift.js';
import { type RawBody, readRawBody } from './raw-body.js';
import { checkReplayWindow, type ReplayTolerance } from './replay-window.js';
import type { WebhookSecret } from './secret.js';
import type { WebhookSignature } from './signature.js';
import { refusedSignature } from './verification-error.js';
import { verifyWebhook } from './verify.js';
import { verifyWebhookAsync } from './verify-async.js';

/**
 * How `unwrapWebhook` treats a delivery whose signature is right.
 *
 * @example
 * ```ts
 * import type { UnwrapWebhookOptions } from 'messaging-automation/webhooks';
 *
 * const options: UnwrapWebhookOptions = {
 *   tolerance: { past: 3_600_000 },
 *   onDrift: ({ problems }) => console.warn('a delivery differs from the document', problems),
 * };
 * ```
 */
export interface UnwrapWebhookOptions {
  /**
   * How far the signed timestamp may lie from the clock, in milliseconds: 24 hours back and five minutes ahead
   * unless set. `false` accepts any age.
   */
  readonly tolerance?: ReplayTolerance | false | undefined;
  /** Where the time comes from: the machine's clock unless set. */
  readonly clock?: Pick<Clock, 'now'> | undefined;
  /**
   * What to do with a delivery whose details differ from the document (a field of `data` missing, say): give it and
   * tell `onDrift` (`warn`, the default), refuse it as `unexpected_shape` (`strict`), or give it in silence (`off`).
   * With `warn` and `off` a field of such an event may be missing or of another type than declared. A body without a
   * type, a timestamp and a `data` object is refused all the same.
   */
  readonly validation?: 'warn' | 'strict' | 'off' | undefined;
  /**
   * Told of each delivery whose details differ from the document. What it throws is ignored: it must not make the
   * sender try again. A process warning, once per event type, unless set.
   */
  readonly onDrift?: ((drift: WebhookDrift) => unknown) | undefined;
}

/**
 * Verifies a delivery and gives its typed event (document §6).
 *
 * In this order: the signature, over the bytes as received; UTF-8, strictly (a leading byte order mark is
 * allowed); JSON (own `__proto__` keys are left out); the age, by the signed `timestamp`; the documented shape.
 * Unknown fields are kept, and an event of a type unknown to this package is given as `UnknownWebhookEvent`.
 *
 * A delivery that differs from the document in its details is given all the same, and reported: who refuses it is
 * sent it twice more and has then lost it. `validation: 'strict'` refuses it, so that a typed event is never missing
 * what its type says.
 *
 * @param rawBody - The body's bytes exactly as received, or the string decoded from them.
 * @param signature - The value of `X-Service-Signature`.
 * @param secret - The subscription's secret, prefix and all, or several while one replaces another.
 * @param options - The replay window, the clock, and what to do about drift.
 * @returns The event.
 * @throws WebhookVerificationError with a `reason`; answer the sender with a status that is not 2xx.
 * @throws TypeError for the programmer's errors that `verifyWebhook` names, and a tolerance that is no number.
 *
 * @example
 * ```ts
 * import { signWebhook, unwrapWebhook } from 'messaging-automation/webhooks';
 *
 * const secret = 'whsec_example';
 * const now = new Date().toISOString();
 * const rawBody = JSON.stringify({
 *   event: 'message.received',
 *   workspaceId: 'workspace_1',
 *   timestamp: now,
 *   data: {
 *     conversationId: 'conversation_1',
 *     messageId: 'message_1',
 *     contactId: 'contact_1',
 *     phone: '+15551234567',
 *     type: 'text',
 *     body: 'Hello',
 *     receivedAt: now,
 *   },
 * });
 *
 * const event = unwrapWebhook(rawBody, signWebhook(rawBody, secret), secret);
 * switch (event.event) {
 *   case 'message.received':
 *     console.log(event.data.body); // Hello
 *     break;
 *   default:
 *     console.log(`not handled: ${event.event}`);
 * }
 * ```
 */
export function unwrapWebhook(
  rawBody: RawBody,
  signature: WebhookSignature,
  secret: WebhookSecret | readonly WebhookSecret[],
  options: UnwrapWebhookOptions = {},
): WebhookEvent {
  const body = readRawBody(rawBody);
  if (!verifyWebhook(body, signature, secret)) throw refusedSignature(signature);
  return unwrapVerified(body, options);
}

/**
 * The WebCrypto twin of `unwrapWebhook`: the same verdict and the same event, with the hashing off the thread
 * (document §6). Its promise resolves to an event or rejects, never to a boolean.
 *
 * @param rawBody - The body's bytes exactly as received, or the string decoded from them. They are copied, and
 *   what was verified is what is parsed, even if the buffer is used again meanwhile.
 * @param signature - The value of `X-Service-Signature`.
 * @param secret - The subscription's secret, prefix and all, or several while one replaces another.
 * @param options - The replay window, the clock, and what to do about drift.
 * @returns The event.
 * @throws WebhookVerificationError with a `reason`; answer the sender with a status that is not 2xx.
 * @throws TypeError for the programmer's errors that `verifyWebhook` names, and a tolerance that is no number.
 *
 * @example
 * ```ts
 * import { signatureHeader, signWebhookAsync, unwrapWebhookAsync } from 'messaging-automation/webhooks';
 *
 * const secret = 'whsec_example';
 * const receive = async (request: Request): Promise<Response> => {
 *   const rawBody = await request.arrayBuffer();
 *   const event = await unwrapWebhookAsync(rawBody, request.headers.get(signatureHeader), secret);
 *   return new Response(event.event);
 * };
 *
 * const body = JSON.stringify({
 *   event: 'contact.opted_in',
 *   workspaceId: 'workspace_1',
 *   timestamp: new Date().toISOString(),
 *   data: {},
 * });
 * const headers = { [signatureHeader]: await signWebhookAsync(body, secret) };
 * const answer = await receive(new Request('https://example.com/webhooks', { method: 'POST', body, headers }));
 * console.log(await answer.text()); // contact.opted_in
 * ```
 */
export async function unwrapWebhookAsync(
  rawBody: RawBody,
  signature: WebhookSignature,
  secret: WebhookSecret | readonly WebhookSecret[],
  options: UnwrapWebhookOptions = {},
): Promise<WebhookEvent> {
  return unwrapVerified(await verifyWebhookAsync(rawBody, signature, secret), options);
}

/** The event of a body whose signature is right. */
export function unwrapVerified(body: string | Uint8Array, options: UnwrapWebhookOptions): WebhookEvent {
  const { validation = 'warn', onDrift = warnOfDrift, tolerance, clock } = options;
  if (!validations.includes(validation)) throw new TypeError("validation must be 'warn', 'strict' or 'off'.");
  const drift = readDelivery(body);
  checkReplayWindow(drift.event.timestamp, tolerance, clock);
  if (drift.problems.length > 0) {
    if (validation === 'strict') {
      throw unexpectedShape(drift.problems, "To take such deliveries, leave out validation: 'strict'.");
    }
    if (validation === 'warn') notify(() => onDrift(drift));
  }
  return drift.event;
}

const validations: readonly unknown[] = ['warn', 'strict', 'off'];
