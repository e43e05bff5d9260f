import type { WebhookEvent } from '../../contract/delivery.js';
import type { ReceivedRequest, ReceiverAnswer } from './exchange.js';
import type { HandlerContext } from './handler-context.js';

/**
 * Where a delivery stands on its way through the receiver. It takes the five steps in this order, and goes to the last
 * one directly where it is refused, where something fails, or where the time is up.
 */
export type DeliveryState<Request> =
  | { readonly step: 'reading' }
  | { readonly step: 'verifying' }
  | { readonly step: 'claiming'; readonly event: WebhookEvent }
  | {
      readonly step: 'handling';
      readonly event: WebhookEvent;
      readonly context: HandlerContext<Request>;
      /** The answer to give, known once the handlers are done; what is left to do is to settle the claim. */
      readonly outcome?: ReceiverAnswer;
    }
  | {
      readonly step: 'answered';
      readonly event: WebhookEvent | undefined;
      readonly answer: ReceiverAnswer;
      /** Whether there was work left when the answer was given. */
      readonly isEarly: boolean;
    };

/** One request on its way through the receiver. */
export class Delivery<Request> {
  readonly received: ReceivedRequest<Request>;
  /** By when to answer, in milliseconds since the Unix epoch. */
  readonly answerBy: number;
  #state: DeliveryState<Request> = { step: 'reading' };
  #onAnswer: ((answer: ReceiverAnswer) => void) | undefined;

  constructor(received: ReceivedRequest<Request>, answerBy: number) {
    this.received = received;
    this.answerBy = answerBy;
  }

  get state(): DeliveryState<Request> {
    return this.#state;
  }

  /** The event, once it is verified. */
  get event(): WebhookEvent | undefined {
    return 'event' in this.#state ? this.#state.event : undefined;
  }

  /** The answer that the sender got, or is certain to get. */
  get answer(): ReceiverAnswer | undefined {
    if (this.#state.step === 'answered') return this.#state.answer;
    return this.#state.step === 'handling' ? this.#state.outcome : undefined;
  }

  /** Takes the next step, and says whether it did: a delivery that is answered goes no further. */
  moveTo(next: Exclude<DeliveryState<Request>, { step: 'answered' }>): boolean {
    if (this.#state.step === 'answered') return false;
    this.#state = next;
    return true;
  }

  /** Answers the sender. Only the first answer counts. */
  answerWith(answer: ReceiverAnswer, isEarly = false): void {
    if (this.#state.step === 'answered') return;
    this.#state = { step: 'answered', event: this.event, answer, isEarly };
    this.#onAnswer?.(answer);
  }

  /** Calls the listener when the delivery is answered. */
  onAnswer(listener: (answer: ReceiverAnswer) => void): void {
    this.#onAnswer = listener;
  }
}
