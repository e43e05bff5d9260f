import type { KnownWebhookEvent, UnknownWebhookEvent, WebhookEvent } from '../../contract/delivery.js';
import type { WebhookEventType } from '../../contract/webhook-event-type.js';

/**
 * Details of a delivery, which a handler receives next to the event.
 *
 * @typeParam Request - The framework's own request.
 */
export interface WebhookContext<Request = unknown> {
  /** The framework's own request. Its body has been read. */
  readonly request: Request;
  /** The verified bytes of the body. Do not change them: other handlers receive the same object. */
  readonly rawBody: Uint8Array;
  /**
   * The index of the secret that signed the delivery, from zero, in the list of secrets. Zero for a single secret. The first index if the
   * list contains the secret twice.
   */
  readonly secretIndex: number;
  /**
   * The milliseconds until the deadline of the answer. `Infinity` if the request was answered before the handlers started.
   */
  readonly remaining: number;
  /**
   * Aborts at the deadline if the service will send the delivery again (`whenSlow: 'retry'`): a handler that then throws leaves the
   * delivery to the next attempt. Also aborts at `handlerTimeout`, when the receiver releases the claim.
   */
  readonly signal: AbortSignal;
}

/**
 * Handles one delivery. If it throws or rejects, the service sends the delivery again.
 *
 * @typeParam Event - The event it handles.
 * @typeParam Request - The framework's own request.
 */
export type WebhookHandler<Event, Request = unknown> = (
  event: Event,
  context: WebhookContext<Request>,
) => unknown;

/**
 * The event of a type.
 */
export type WebhookEventOf<Type extends WebhookEventType> = Extract<KnownWebhookEvent, { event: Type }>;

/**
 * Handles any event, including unknown types.
 *
 * @typeParam Request - The framework's own request.
 */
export type AnyEventHandler<Request = unknown> = WebhookHandler<WebhookEvent, Request>;

/** The handler of unknown events. */
export type UnknownEventHandler<Request> = WebhookHandler<UnknownWebhookEvent, Request>;
