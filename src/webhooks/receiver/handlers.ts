import type { KnownWebhookEvent, UnknownWebhookEvent, WebhookEvent } from '../../contract/delivery.js';
import { type WebhookEventType, webhookEventTypes } from '../../contract/webhook-event-type.js';
import { isLater } from '../../foundation/at-once.js';
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

/** Returns what handles the event, or `undefined` if this handler is not for it. */
type Choice<Request> = (event: WebhookEvent) => ((context: HandlerContext<Request>) => unknown) | undefined;

/** The handlers of a receiver. Those of an event run one after the other, in the order in which they were added. */
export class Handlers<Request> {
  readonly #choices: Choice<Request>[] = [];
  readonly #warnOnce = createWarnings('MessagingAutomationUnhandledEvent');

  constructor(handleUnknown: WebhookReceiverOptions<Request>['onUnknownEvent']) {
    if (handleUnknown === undefined) return;
    this.#choices.push((event) => (isKnown(event) ? undefined : (context) => handleUnknown(event, context)));
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
    checkArgument(`on('${type}')`, 'handler', handler, aHandler);
    this.#choices.push((event) => (isOfType(event, type) ? (context) => handler(event, context) : undefined));
  }

  addToAll(handler: AnyEventHandler<Request>): void {
    checkArgument('onAny', 'handler', handler, aHandler);
    this.#choices.push((event) => (context) => handler(event, context));
  }

  /**
   * Runs the handlers until one throws or rejects, or the receiver gives the delivery up. Returns a promise only if one of them is not done
   * at once.
   */
  run(event: WebhookEvent, context: HandlerContext<Request>): void | Promise<void> {
    const handlers = this.#choices.map((choose) => choose(event)).filter((chosen) => chosen !== undefined);
    if (handlers.length === 0 && isKnown(event)) {
      this.#warnOnce(
        event.event,
        `A delivery of ${event.event} was acknowledged, but it has no handler. ` +
          'Add one with receiver.on or receiver.onAny, or take the type out of the subscription.',
      );
    }
    return runInTurn(handlers, context);
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
  handlers: readonly ((context: HandlerContext<Request>) => unknown)[],
  context: HandlerContext<Request>,
): void | Promise<void> {
  let next = 0;
  for (const handle of handlers) {
    if (context.isGivenUp) return;
    next += 1;
    const underWay = handle(context);
    if (isLater(underWay)) return runRest(underWay, handlers.slice(next), context);
  }
}

async function runRest<Request>(
  underWay: PromiseLike<unknown>,
  handlers: readonly ((context: HandlerContext<Request>) => unknown)[],
  context: HandlerContext<Request>,
): Promise<void> {
  await underWay;
  await runInTurn(handlers, context);
}
