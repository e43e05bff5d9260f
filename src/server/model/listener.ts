import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import type { Bytes } from '../../foundation/bytes.js';

/** The scheme of a listener's URL. The server never connects to a URL with this scheme, not even after a restart. */
const scheme = 'listen:';

/** Returns the URL of a listener's subscription. */
export function listenerUrl(receiver: string): string {
  return scheme + receiver;
}

/** Returns the URL of the receiver: for a listener's URL, the one to which the listener forwards. */
export function receiverUrl(url: string): string {
  return isListenerUrl(url) ? url.slice(scheme.length) : url;
}

/** Whether a subscription with this URL belongs to a listener. */
export function isListenerUrl(url: string): boolean {
  return url.startsWith(scheme);
}

/**
 * One delivery attempt that a listener forwards to its receiver.
 *
 * @example
 * ```ts
 * import type { ListenerAttempt } from 'messaging-automation/server';
 *
 * const forward = ({ headers, body }: ListenerAttempt) =>
 *   fetch('http://127.0.0.1:3000/webhooks', { method: 'POST', headers, body });
 * ```
 */
export interface ListenerAttempt {
  /** The id of the attempt. It stays the same when a listener reconnects and gets the attempt again. */
  readonly attemptId: string;
  /** The id of the listener, which is also the id of its subscription. */
  readonly listenerId: string;
  readonly deliveryId: string;
  /** 1 for the first attempt of the delivery. */
  readonly number: number;
  readonly event: WebhookEventType;
  /** The headers of the request: the content type and the signature. */
  readonly headers: Readonly<Record<string, string>>;
  /** The exact signed bytes. Forward them unchanged. */
  readonly body: Bytes;
  /** How long the server still waits for the response, in milliseconds. */
  readonly timeout: number;
}

/**
 * The receiver's response to an attempt, or the reason why there is none.
 *
 * @example
 * ```ts
 * import type { ListenerResponse } from 'messaging-automation/server';
 *
 * const acknowledged: ListenerResponse = { status: 204 };
 * const failed: ListenerResponse = { error: 'nothing listens on port 3000' };
 * ```
 */
export type ListenerResponse =
  | {
      readonly status: number;
      /** The first 4,096 bytes of the receiver's response body, as text. */
      readonly responseBody?: string | undefined;
      /** The `Date` header of the response. */
      readonly date?: string | undefined;
    }
  | { readonly error: string };

/** Whether a reported response counts: `recorded`, or `too_late` because the attempt had already ended. */
export type ListenerOutcome = 'recorded' | 'too_late';

/** One item that a connected listener receives. */
export type ListenerOccurrence =
  | { readonly kind: 'attempt'; readonly attempt: ListenerAttempt }
  /** An attempt of the listener ended before its response arrived. */
  | { readonly kind: 'ended'; readonly attemptId: string; readonly error: string }
  /** The listener was removed with its subscription. The connection ends after this item. */
  | { readonly kind: 'removed' };
