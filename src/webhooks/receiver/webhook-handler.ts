import type { KnownWebhookEvent, UnknownWebhookEvent, WebhookEvent } from '../../contract/delivery.js';
import type { WebhookEventType } from '../../contract/webhook-event-type.js';

/**
 * What a handler is told besides the event.
 *
 * @typeParam Request - The framework's own request.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver } from 'messaging-automation/webhooks';
 *
 * const receiver = createWebhookReceiver({ secret: 'whsec_example' });
 * receiver.on('message.received', async (event, { signal }) => {
 *   await fetch('https://example.com/inbox', { method: 'POST', body: event.data.body, signal });
 * });
 * ```
 */
export interface WebhookContext<Request = unknown> {
  /** The framework's own request. Its body was read already. */
  readonly request: Request;
  /** The verified bytes of the body. Not to be changed: other handlers are given the same. */
  readonly rawBody: Uint8Array;
  /**
   * Which of the secrets signed the delivery: its place in the list that was given, counted from zero; zero where one
   * secret was given. The first one where a list holds the same secret twice.
   */
  readonly secretIndex: number;
  /**
   * Milliseconds until the request is answered whether or not the handlers are done; `Infinity` where it was answered
   * before they started.
   */
  readonly remaining: number;
  /**
   * Aborts when the time is up and the service will send the delivery again (`whenSlow: 'retry'`): a handler that
   * stops then, by throwing, leaves the delivery to that attempt. Aborts also when `handlerTimeout` is up, which gives
   * the claim up. Never aborts otherwise.
   */
  readonly signal: AbortSignal;
}

/**
 * Handles one delivery. What it throws, or rejects with, makes the service send the delivery again.
 *
 * @typeParam Event - The event it handles.
 * @typeParam Request - The framework's own request.
 *
 * @example
 * ```ts
 * import type { MessageReceivedEvent, WebhookHandler } from 'messaging-automation/webhooks';
 *
 * const print: WebhookHandler<MessageReceivedEvent> = (event) => console.log(event.data.body);
 * ```
 */
export type WebhookHandler<Event, Request = unknown> = (
  event: Event,
  context: WebhookContext<Request>,
) => unknown;

/**
 * The event that a type of event stands for.
 *
 * @example
 * ```ts
 * import type { WebhookEventOf } from 'messaging-automation/webhooks';
 *
 * const textOf = (event: WebhookEventOf<'message.received'>) => event.data.body;
 * ```
 */
export type WebhookEventOf<Type extends WebhookEventType> = Extract<KnownWebhookEvent, { event: Type }>;

/**
 * Handles any event, known or not.
 *
 * @typeParam Request - The framework's own request.
 *
 * @example
 * ```ts
 * import type { AnyEventHandler } from 'messaging-automation/webhooks';
 *
 * const record: AnyEventHandler = (event) => console.log(event.event, event.timestamp);
 * ```
 */
export type AnyEventHandler<Request = unknown> = WebhookHandler<WebhookEvent, Request>;

/** The handler of events that this package does not know. */
export type UnknownEventHandler<Request> = WebhookHandler<UnknownWebhookEvent, Request>;
