import type { KnownWebhookEvent, UnknownWebhookEvent, WebhookEvent } from '../../contract/delivery.js';
import { type WebhookEventType, webhookEventTypes } from '../../contract/webhook-event-type.js';
import { isLater } from '../../foundation/at-once.js';
import { doYouMean } from '../../foundation/near-name.js';
import { ConfigurationError, checkArgument, type OptionCheck } from '../../foundation/options.js';
import { createWarnings } from '../../foundation/runtime.js';
import { isKnownType } from '../verification/delivery.js';
import type { HandlerContext } from './handler-context.js';
import type {
  AnyEventHandler,
  WebhookEventOf,
  WebhookHandler,
  WebhookReceiverOptions,
} from './receiver-options.js';

interface Handler<Request> {
  /** Whether it handles such an event. */
  isFor(event: WebhookEvent): boolean;
  /** Does nothing with an event that it is not for. */
  handle(event: WebhookEvent, context: HandlerContext<Request>): unknown;
}

/** The handlers of a receiver. Those of an event run one after the other, in the order in which they were added. */
export class Handlers<Request> {
  /** A new list at each addition, so that a delivery keeps the handlers that it began with. */
  #handlers: readonly Handler<Request>[] = [];
  readonly #warnOnce = createWarnings('MessagingAutomationUnhandledEvent');

  constructor(handleUnknown: WebhookReceiverOptions<Request>['onUnknownEvent']) {
    if (handleUnknown === undefined) return;
    this.#add({
      isFor: (event) => !isKnown(event),
      handle: (event, context) => (isKnown(event) ? undefined : handleUnknown(event, context)),
    });
  }

  add<Type extends WebhookEventType>(
    type: Type,
    handler: WebhookHandler<WebhookEventOf<Type>, Request>,
  ): void {
    if (!isKnownType(type)) {
      const name = String(type);
      throw new ConfigurationError(
        `on('${name}'): there is no such event${doYouMean(name, webhookEventTypes)}. The events are ${webhookEventTypes.join(', ')}. ` +
          'For any other type pass onUnknownEvent, or use onAny.',
      );
    }
    checkArgument(`on('${type}')`, 'handler', handler, aHandler);
    this.#add({
      isFor: (event) => isOfType(event, type),
      handle: (event, context) => (isOfType(event, type) ? handler(event, context) : undefined),
    });
  }

  addToAll(handler: AnyEventHandler<Request>): void {
    checkArgument('onAny', 'handler', handler, aHandler);
    this.#add({ isFor: () => true, handle: handler });
  }

  #add(handler: Handler<Request>): void {
    this.#handlers = [...this.#handlers, handler];
  }

  /**
   * Runs the handlers until one throws or rejects, or the receiver gives the delivery up. Returns a promise only if one of them is not done
   * at once.
   */
  run(event: WebhookEvent, context: HandlerContext<Request>): void | Promise<void> {
    if (isKnown(event) && !this.#handlers.some((handler) => handler.isFor(event))) {
      this.#warnOnce(
        event.event,
        `A delivery of ${event.event} was acknowledged, but it has no handler. ` +
          'Add one with receiver.on or receiver.onAny, or take the type out of the subscription.',
      );
    }
    return runInTurn(this.#handlers, 0, event, context);
  }
}

/** To call a generator function runs none of its code. */
export const aHandler: OptionCheck = [
  (value) => typeof value === 'function' && !/Generator/.test(Object.prototype.toString.call(value)),
  'a function, and not a generator function, of which a call runs no code',
];

function isKnown(event: KnownWebhookEvent | UnknownWebhookEvent): event is KnownWebhookEvent {
  return isKnownType(event.event);
}

function isOfType<Type extends WebhookEventType>(
  event: WebhookEvent,
  type: Type,
): event is WebhookEventOf<Type> {
  return event.event === type;
}

function runInTurn<Request>(
  handlers: readonly Handler<Request>[],
  first: number,
  event: WebhookEvent,
  context: HandlerContext<Request>,
): void | Promise<void> {
  for (let index = first; index < handlers.length; index += 1) {
    if (context.isGivenUp) return;
    const underWay = handlers[index]?.handle(event, context);
    if (isLater(underWay)) {
      return Promise.resolve(underWay).then(() => runInTurn(handlers, index + 1, event, context));
    }
  }
}
