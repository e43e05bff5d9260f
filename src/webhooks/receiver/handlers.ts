import type { KnownWebhookEvent, UnknownWebhookEvent, WebhookEvent } from '../../contract/delivery.js';
import { type WebhookEventType, webhookEventTypes } from '../../contract/webhook-event-type.js';
import { createDriftWarnings } from '../../foundation/drift-warnings.js';
import { isKnownType } from '../delivery-shape.js';
import type {
  UnknownEventHandler,
  WebhookContext,
  WebhookEventOf,
  WebhookHandler,
} from './webhook-handler.js';

type HandlersByType<Request> = {
  readonly [Type in WebhookEventType]: WebhookHandler<WebhookEventOf<Type>, Request>[];
};

/** The handlers of a receiver. Those of a type run in the order they were added, each after the one before. */
export class Handlers<Request> {
  readonly #byType: HandlersByType<Request> = {
    'message.received': [],
    'contact.opted_in': [],
    'contact.opted_out': [],
  };
  readonly #onUnknownEvent: UnknownEventHandler<Request> | undefined;
  readonly #warnOnce = createDriftWarnings();

  constructor(onUnknownEvent: UnknownEventHandler<Request> | undefined) {
    this.#onUnknownEvent = onUnknownEvent;
  }

  add<Type extends WebhookEventType>(
    type: Type,
    handler: WebhookHandler<WebhookEventOf<Type>, Request>,
  ): void {
    if (!isKnownType(type)) {
      throw new TypeError(
        `There are deliveries of ${webhookEventTypes.join(', ')}. For those of any other type pass onUnknownEvent.`,
      );
    }
    if (typeof handler !== 'function') throw new TypeError(`The handler of ${type} must be a function.`);
    this.#byType[type].push(handler);
  }

  /** Resolves once every handler is done; rejects with what the first one throws, and runs none after it. */
  async run(event: WebhookEvent, context: WebhookContext<Request>): Promise<void> {
    if (!isKnownEvent(event)) {
      await this.#onUnknownEvent?.(event, context);
      return;
    }
    switch (event.event) {
      case 'message.received':
        return this.#runAll(event, context, this.#byType[event.event]);
      case 'contact.opted_in':
        return this.#runAll(event, context, this.#byType[event.event]);
      case 'contact.opted_out':
        return this.#runAll(event, context, this.#byType[event.event]);
    }
  }

  async #runAll<Event extends KnownWebhookEvent>(
    event: Event,
    context: WebhookContext<Request>,
    handlers: readonly WebhookHandler<Event, Request>[],
  ): Promise<void> {
    if (handlers.length === 0) {
      this.#warnOnce(
        event.event,
        `A delivery of ${event.event} was acknowledged, but no handler is there for it. ` +
          'Add one with receiver.on, or take the type out of the subscription.',
      );
    }
    for (const handler of handlers) await handler(event, context);
  }
}

function isKnownEvent(event: KnownWebhookEvent | UnknownWebhookEvent): event is KnownWebhookEvent {
  return isKnownType(event.event);
}
