import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import type { Bytes } from '../../foundation/bytes.js';

/** The scheme of a listener's URL. The server connects to no URL with it, also not after a restart. */
const scheme = 'listen:';

/** The URL of a listener's subscription. */
export function listenerUrl(receiver: string): string {
  return scheme + receiver;
}

/** Where deliveries to a URL end up: behind a listener, at its receiver. */
export function receiverUrl(url: string): string {
  return isListenerUrl(url) ? url.slice(scheme.length) : url;
}

/** Whether a subscription with this URL belongs to a listener. */
export function isListenerUrl(url: string): boolean {
  return url.startsWith(scheme);
}

/**
 * One attempt of a delivery that a listener makes in place of the server.
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
  /** Identifies the attempt, also when a listener that reconnects gets it again. */
  readonly attemptId: string;
  /** The listener, which has the id of its subscription. */
  readonly listenerId: string;
  readonly deliveryId: string;
  /** 1 for the first attempt of the delivery. */
  readonly number: number;
  readonly event: WebhookEventType;
  /** The headers of the request: the content type and the signature. */
  readonly headers: Readonly<Record<string, string>>;
  /** The exact bytes that are signed. */
  readonly body: Bytes;
  /** How long the server still waits for the answer, in milliseconds. */
  readonly timeout: number;
}

/**
 * The receiver's answer to an attempt, or why there is none.
 *
 * @example
 * ```ts
 * import type { ListenerAnswer } from 'messaging-automation/server';
 *
 * const acknowledged: ListenerAnswer = { status: 204 };
 * const failed: ListenerAnswer = { error: 'nothing listens on port 3000' };
 * ```
 */
export type ListenerAnswer =
  | {
      readonly status: number;
      /** The first 4,096 bytes of the receiver's response body, as text. */
      readonly answer?: string | undefined;
      /** The `Date` header of the response. */
      readonly date?: string | undefined;
    }
  | { readonly error: string };

/**
 * Whether an answer counts: `recorded`, or `too_late` because the attempt had ended without it.
 *
 * @example
 * ```ts
 * import type { ListenerOutcome } from 'messaging-automation/server';
 *
 * const counts = (outcome: ListenerOutcome) => outcome === 'recorded';
 * ```
 */
export type ListenerOutcome = 'recorded' | 'too_late';

/** What a connected listener is told. */
export type ListenerOccurrence =
  | { readonly kind: 'attempt'; readonly attempt: ListenerAttempt }
  /** The server no longer waits for the answer to an attempt that the listener has. */
  | { readonly kind: 'ended'; readonly attemptId: string; readonly error: string }
  /** The listener was removed with its subscription. The last that it is told. */
  | { readonly kind: 'removed' }
  /** Nothing happened for a while. */
  | { readonly kind: 'idle' };
