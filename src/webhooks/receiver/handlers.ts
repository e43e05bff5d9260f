import type { KnownWebhookEvent, UnknownWebhookEvent, WebhookEvent } from '../../contract/delivery.js';
import { type WebhookEventType, webhookEventTypes } from '../../contract/webhook-event-type.js';
import { ConfigurationError, checkOptions, type OptionCheck, required } from '../../foundation/options.js';
import { createWarnings } from '../../foundation/warnings.js';
import { isKnownType } from '../verification/delivery.js';
import type { HandlerContext } from './handler-context.js';
import type {
  AnyEventHandler,
  UnknownEventHandler,
  WebhookEventOf,
  WebhookHandler,
} from './webhook-handler.js';

type HandlersByType<Request> = {
  readonly [Type in WebhookEventType]: WebhookHandler<WebhookEventOf<Type>, Request>[];
};

/** The handlers of a receiver. The handlers of a type run one after the other, in the order in which they were added. */
export class Handlers<Request> {
  readonly #byType: HandlersByType<Request> = {
    'message.received': [],
    'contact.opted_in': [],
    'contact.opted_out': [],
  };
  readonly #ofUnknownType: UnknownEventHandler<Request>[];
  readonly #warnOnce = createWarnings('MessagingAutomationUnhandledEvent');

  constructor(onUnknownEvent: UnknownEventHandler<Request> | undefined) {
    this.#ofUnknownType = onUnknownEvent === undefined ? [] : [onUnknownEvent];
  }

  add<Type extends WebhookEventType>(
    type: Type,
    handler: WebhookHandler<WebhookEventOf<Type>, Request>,
  ): void {
    if (!isKnownType(type)) {
      throw new ConfigurationError(
        `There are deliveries of ${webhookEventTypes.join(', ')}. For those of any other type pass onUnknownEvent, or use onAny.`,
      );
    }
    checkOptions(`on('${type}')`, { handler }, { handler: required(aHandler) });
    this.#byType[type].push(handler);
  }

  addToAll(handler: AnyEventHandler<Request>): void {
    checkOptions('onAny', { handler }, { handler: required(aHandler) });
    for (const handlers of [...Object.values(this.#byType), this.#ofUnknownType]) handlers.push(handler);
  }

  /**
   * Runs the handlers until one throws or rejects. Returns a promise only if a handler does.
   */
  run(event: WebhookEvent, context: HandlerContext<Request>): Promise<void> | undefined {
    if (!isKnownEvent(event)) return runInTurn(this.#ofUnknownType, event, context);
    return this.#runOfType(event.event, event, context);
  }

  #runOfType<Type extends WebhookEventType>(
    type: Type,
    event: WebhookEventOf<Type>,
    context: HandlerContext<Request>,
  ): Promise<void> | undefined {
    const handlers = this.#byType[type];
    if (handlers.length === 0) {
      this.#warnOnce(
        type,
        `A delivery of ${type} was acknowledged, but it has no handler. ` +
          'Add one with receiver.on or receiver.onAny, or take the type out of the subscription.',
      );
    }
    return runInTurn(handlers, event, context);
  }
}

function runInTurn<Event, Request>(
  handlers: readonly WebhookHandler<Event, Request>[],
  event: Event,
  context: HandlerContext<Request>,
): Promise<void> | undefined {
  let next = 0;
  for (const handler of handlers) {
    next += 1;
    const result = handler(event, context);
    if (isThenable(result)) return runAfter(result, handlers.slice(next), event, context);
  }
  return undefined;
}

async function runAfter<Event, Request>(
  first: PromiseLike<unknown>,
  others: readonly WebhookHandler<Event, Request>[],
  event: Event,
  context: HandlerContext<Request>,
): Promise<void> {
  await first;
  for (const handler of others) {
    if (context.isGivenUp) return;
    await handler(event, context);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return typeof Reflect.get(value, 'then') === 'function';
}

/** To call a generator function runs none of its code. */
export const aHandler: OptionCheck = [
  (value) => typeof value === 'function' && !/Generator/.test(Object.prototype.toString.call(value)),
  'a function, and not a generator function, of which a call runs no code',
];

function isKnownEvent(event: KnownWebhookEvent | UnknownWebhookEvent): event is KnownWebhookEvent {
  return isKnownType(event.event);
}
