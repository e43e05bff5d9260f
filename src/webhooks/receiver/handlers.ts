import type { KnownWebhookEvent, UnknownWebhookEvent, WebhookEvent } from '../../contract/delivery.js';
import { type WebhookEventType, webhookEventTypes } from '../../contract/webhook-event-type.js';
import type { Clock } from '../../foundation/clock.js';
import { ConfigurationError, checkArgument, type OptionCheck } from '../../foundation/options.js';
import { createWarnings } from '../../foundation/runtime.js';
import { isKnownType } from '../verification/delivery.js';
import type {
  AnyEventHandler,
  WebhookContext,
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

  /** Runs the handlers until one throws or rejects, or the receiver gives the delivery up. */
  async run(event: WebhookEvent, context: HandlerContext<Request>): Promise<void> {
    const handlers = this.#choices.map((choose) => choose(event)).filter((chosen) => chosen !== undefined);
    if (handlers.length === 0 && isKnown(event)) {
      this.#warnOnce(
        event.event,
        `A delivery of ${event.event} was acknowledged, but it has no handler. ` +
          'Add one with receiver.on or receiver.onAny, or take the type out of the subscription.',
      );
    }
    for (const handle of handlers) {
      if (context.isGivenUp) return;
      await handle(context);
    }
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

/** A class, because creating an object with its own getters for each delivery takes as long as parsing the delivery. */
export class HandlerContext<Request> implements WebhookContext<Request> {
  readonly request: Request;
  readonly rawBody: Uint8Array;
  readonly secretIndex: number;
  readonly #clock: Pick<Clock, 'now'>;
  /** In milliseconds since the Unix epoch. `Infinity` if the receiver responds before the handlers start. */
  #respondBy: number;
  #controller: AbortController | undefined;
  /** Whether the receiver gave up the delivery, so that no further handler starts. */
  isGivenUp = false;

  constructor(
    { request, rawBody, secretIndex }: Pick<WebhookContext<Request>, 'request' | 'rawBody' | 'secretIndex'>,
    clock: Pick<Clock, 'now'>,
    respondBy: number,
  ) {
    this.request = request;
    this.rawBody = rawBody;
    this.secretIndex = secretIndex;
    this.#clock = clock;
    this.#respondBy = respondBy;
  }

  get remaining(): number {
    return Math.max(0, this.#respondBy - this.#clock.now());
  }

  /** Created at the first use, because few handlers need it and it is the most expensive part. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** Says that the sender has its response, so that the handlers have no deadline. */
  haveNoDeadline(): void {
    this.#respondBy = Number.POSITIVE_INFINITY;
  }

  /** Aborts the signal. */
  abort(): void {
    this.#controller ??= new AbortController();
    this.#controller.abort();
  }
}
