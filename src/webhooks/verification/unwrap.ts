import type { WebhookEvent } from '../../contract/delivery.js';
import { momentOf } from '../../contract/timestamp.js';
import { type Clock, systemClock } from '../../foundation/clock.js';
import { isObject } from '../../foundation/is-object.js';
import { notify } from '../../foundation/listeners.js';
import {
  aFunction,
  checkOptionsOfCall,
  hasMethods,
  type OptionCheck,
  type OptionChecks,
  oneOf,
} from '../../foundation/options.js';
import { toOwnBytes } from '../crypto/bytes.js';
import { webCryptoHmac } from '../crypto/digests.js';
import { readDelivery, unexpectedShape, type WebhookDrift, warnOfDrift } from './delivery.js';
import { type RawBody, readRawBody } from './raw-body.js';
import { readSecrets, type WebhookSecret } from './secret.js';
import { isSameDigest, readSignature, type WebhookSignature } from './signature.js';
import { refusedSignature, WebhookVerificationError } from './verification-error.js';
import { verifyWebhook } from './verify.js';

/**
 * Options of {@link unwrapWebhook}.
 */
export interface UnwrapWebhookOptions {
  /**
   * How far the signed timestamp may differ from the clock, in milliseconds. Default: 24 hours in the past and five minutes in the
   * future. `false` accepts any age.
   */
  readonly tolerance?: ReplayTolerance | false | undefined;
  /** The source of the time. Default: the machine's clock. */
  readonly clock?: Pick<Clock, 'now'> | undefined;
  /**
   * What to do with a delivery whose details differ from the document, such as a missing field of `data`. `warn` returns it and calls
   * `onDrift`. `strict` refuses it as `unexpected_shape`. `off` returns it without a report. With `warn` and `off`, a field of such an
   * event may be missing or have another type than declared. A body without an event type, a timestamp and a `data` object is always
   * refused. Default: `warn`.
   */
  readonly validation?: 'warn' | 'strict' | 'off' | undefined;
  /**
   * Called for each delivery whose details differ from the document. An error that it throws is ignored, so that it does not cause a
   * retry. Default: a process warning, once per event type.
   */
  readonly onDrift?: ((drift: WebhookDrift) => unknown) | undefined;
}

/**
 * Verifies a delivery and returns its typed event.
 *
 * It checks, in this order: the signature over the received bytes; strict UTF-8 (a leading byte order mark is allowed); JSON (own
 * `__proto__` keys are removed); the age, by the signed `timestamp`; the documented shape. It keeps unknown fields. An event of an unknown
 * type is an `UnknownWebhookEvent`.
 *
 * It returns a delivery whose details differ from the document, and reports it: if you refused it, the service would send it twice more
 * and then drop it. `validation: 'strict'` refuses it, so that a typed event always has what its type says.
 *
 * @param rawBody - The body's bytes exactly as received, or the string decoded from them.
 * @param signature - The value of `X-Service-Signature`.
 * @param secret - The subscription's secret, including `whsec_`, or several while a new one replaces an old one.
 * @param options - The replay window, the clock, and what to do about drift.
 * @returns The event.
 * @throws WebhookVerificationError with a `reason`; respond to the sender with a status that is not 2xx.
 * @throws TypeError for the same mistakes as `verifyWebhook`. ConfigurationError for an invalid option.
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
  options?: UnwrapWebhookOptions,
): WebhookEvent {
  if (options !== undefined) checkOptionsOfCall('unwrapWebhook', options, unwrapChecks);
  const body = readRawBody(rawBody);
  if (!verifyWebhook(body, signature, secret)) throw refusedSignature(signature);
  return unwrapVerified(body, options);
}

/**
 * Does the same as `unwrapWebhook` with WebCrypto, which hashes outside of the main thread. The promise resolves to the event, never to
 * a boolean, or rejects.
 *
 * @param rawBody - The body's bytes exactly as received, or the string decoded from them. The function copies them, so later
 *   changes of the buffer have no effect.
 * @param signature - The value of `X-Service-Signature`.
 * @param secret - The subscription's secret, including `whsec_`, or several while a new one replaces an old one.
 * @param options - The replay window, the clock, and what to do about drift.
 * @returns The event.
 * @throws WebhookVerificationError with a `reason`; respond to the sender with a status that is not 2xx.
 * @throws TypeError for the same mistakes as `verifyWebhook`. ConfigurationError for an invalid option.
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
 * const response = await receive(new Request('https://example.com/webhooks', { method: 'POST', body, headers }));
 * console.log(await response.text()); // contact.opted_in
 * ```
 */
export async function unwrapWebhookAsync(
  rawBody: RawBody,
  signature: WebhookSignature,
  secret: WebhookSecret | readonly WebhookSecret[],
  options?: UnwrapWebhookOptions,
): Promise<WebhookEvent> {
  if (options !== undefined) checkOptionsOfCall('unwrapWebhookAsync', options, unwrapChecks);
  return unwrapVerified(await verifyWebhookAsync(rawBody, signature, secret), options);
}

/**
 * Verifies a delivery with WebCrypto, which hashes large bodies outside of the main thread. It takes the arguments of `verifyWebhook`.
 *
 * It does not resolve to a boolean, because a promise is truthy: `if (verifyWebhookAsync(...))` without `await` would accept everything.
 * It resolves to a copy of the verified bytes, and rejects for a wrong signature. Code that parses the result cannot forget the `await`.
 *
 * @param rawBody - The body's bytes exactly as received, or the string decoded from them.
 * @param signature - The value of `X-Service-Signature`.
 * @param secret - The subscription's secret, including `whsec_`, or several while a new one replaces an old one.
 * @returns The verified bytes.
 * @throws WebhookVerificationError with the reason `missing_signature`, `malformed_signature`,
 *   `ambiguous_signature` or `signature_mismatch`.
 * @throws TypeError for the same mistakes as `verifyWebhook`.
 *
 * @example
 * ```ts
 * import { signWebhookAsync, verifyWebhookAsync } from 'messaging-automation/webhooks';
 *
 * const secret = 'whsec_example';
 * const rawBody = new TextEncoder().encode('{"event":"message.received"}');
 * const signature = await signWebhookAsync(rawBody, secret);
 *
 * const verified = await verifyWebhookAsync(rawBody, signature, secret);
 * console.log(JSON.parse(new TextDecoder().decode(verified)));
 * ```
 */
export async function verifyWebhookAsync(
  rawBody: RawBody,
  signature: WebhookSignature,
  secret: WebhookSecret | readonly WebhookSecret[],
): Promise<Uint8Array> {
  // In this file, so that a bundle of verifyWebhook alone does not contain the errors.
  const body = toOwnBytes(readRawBody(rawBody));
  const keys = readSecrets(secret);
  const received = readSignature(signature);
  if (received === undefined) throw refusedSignature(signature);
  const digests = await Promise.all(keys.map((key) => webCryptoHmac(key, body)));
  const matches = digests.filter((digest) => isSameDigest(digest, received));
  if (matches.length === 0) throw refusedSignature(signature);
  return body;
}

/** Returns the event of a body with a valid signature. */
export function unwrapVerified(body: string | Uint8Array, options?: UnwrapWebhookOptions): WebhookEvent {
  const { validation = 'warn', onDrift = warnOfDrift, tolerance, clock } = options ?? {};
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

const isLimit = (value: unknown) => typeof value === 'number' && value >= 0;
const aLimit: OptionCheck = [isLimit, 'a number of milliseconds, 0 or more'];

/** What the options of an unwrapped delivery must be. */
export const unwrapChecks: OptionChecks = {
  validation: oneOf('warn', 'strict', 'off'),
  onDrift: aFunction,
  clock: [hasMethods('now'), 'an object with the method now'],
  tolerance: [
    (value) => value === false || (isObject(value) && !('seconds' in value)),
    'an object { past, future } of milliseconds, or false',
  ],
  'tolerance.past': aLimit,
  'tolerance.future': aLimit,
};

/**
 * How far the signed timestamp of a delivery may differ from the clock, in milliseconds.
 */
export type ReplayTolerance = {
  /**
   * How old a delivery may be. A retry has the same bytes, and so the same timestamp, as the first attempt, and must not be too old.
   * `Infinity` sets no limit. Default: 24 hours.
   */
  readonly past?: number | undefined;
  /** How far ahead of the clock a delivery may be, because clocks differ. `Infinity` sets no limit.
   * Default: 5 minutes. */
  readonly future?: number | undefined;
};

export const defaultPast = 24 * 60 * 60 * 1000;
export const defaultFuture = 5 * 60 * 1000;

const ofTests = 'In a test with a reference server, pass its clock: server.clock.';

/** Throws a WebhookVerificationError for a timestamp outside the window. */
export function checkReplayWindow(
  timestamp: string,
  tolerance: ReplayTolerance | false = {},
  clock: Pick<Clock, 'now'> = systemClock,
): void {
  if (tolerance === false) return;
  const { past = defaultPast, future = defaultFuture } = tolerance;
  const skew = clock.now() - (momentOf(timestamp) ?? Number.NaN);
  // Negated, so that everything is refused if the clock or the timestamp is not a number.
  if (!(skew <= past)) {
    throw new WebhookVerificationError(
      'too_old',
      `The delivery is authentic, but ${skew} ms old where ${past} ms are allowed: it may be a replay. ` +
        `If a queue held it back, raise tolerance.past; if not, check this clock. ${ofTests}`,
      skew,
    );
  }
  if (-skew > future) {
    throw new WebhookVerificationError(
      'too_new',
      `The delivery is authentic, but ${-skew} ms ahead of this clock where ${future} ms are allowed. ` +
        `Check this clock, or raise tolerance.future. ${ofTests}`,
      skew,
    );
  }
}
