import type { WebhookEvent } from '../../contract/delivery.js';
import type { ReceivedRequest, ReceiverAnswer } from './exchange.js';
import type { HandlerContext } from './handlers.js';
import type { DuplicateDelivery } from './receiver-options.js';

/**
 * The state of a delivery in the receiver. It passes through the five steps in this order. It moves directly to the last one if it is
 * refused, if something fails, or when its time is up.
 */
export type DeliveryState<Request> =
  | { readonly step: 'reading' }
  | { readonly step: 'verifying' }
  | {
      readonly step: 'claiming';
      readonly event: WebhookEvent;
      /** Set while another attempt has the delivery. */
      readonly duplicateOf?: DuplicateDelivery<Request>;
      /** The error of the store, while it fails. */
      readonly failure?: unknown;
    }
  | {
      readonly step: 'handling';
      readonly event: WebhookEvent;
      readonly context: HandlerContext<Request>;
      /** The answer to send. Set when the handlers are done and only the claim remains to be settled. */
      readonly outcome?: ReceiverAnswer;
    }
  | {
      readonly step: 'answered';
      readonly event: WebhookEvent | undefined;
      readonly answer: ReceiverAnswer;
      /** Whether the receiver responded before all work was done. */
      readonly isEarly: boolean;
    };

/** One request in the receiver. */
export class Delivery<Request> {
  readonly received: ReceivedRequest<Request>;
  /** The deadline of the answer, in milliseconds since the Unix epoch. */
  readonly answerBy: number;
  #state: DeliveryState<Request> = { step: 'reading' };
  #onAnswer: (answer: ReceiverAnswer) => void = () => {};
  /** The answer, when the delivery has one. */
  readonly answered: Promise<ReceiverAnswer>;

  constructor(received: ReceivedRequest<Request>, answerBy: number) {
    this.received = received;
    this.answerBy = answerBy;
    this.answered = new Promise((resolve) => {
      this.#onAnswer = resolve;
    });
  }

  get state(): DeliveryState<Request> {
    return this.#state;
  }

  /** The event. `undefined` before it is verified. */
  get event(): WebhookEvent | undefined {
    return 'event' in this.#state ? this.#state.event : undefined;
  }

  get isAnswered(): boolean {
    return this.#state.step === 'answered';
  }

  /** The answer that the sender got or will get. */
  get answer(): ReceiverAnswer | undefined {
    if (this.#state.step === 'answered') return this.#state.answer;
    return this.#state.step === 'handling' ? this.#state.outcome : undefined;
  }

  /** Moves to the next step. Returns false if the delivery was already answered. */
  moveTo(next: Exclude<DeliveryState<Request>, { step: 'answered' }>): boolean {
    if (this.#state.step === 'answered') return false;
    this.#state = next;
    return true;
  }

  /** Answers the sender. Only the first answer counts. */
  answerWith(answer: ReceiverAnswer, isEarly = false): void {
    if (this.#state.step === 'answered') return;
    this.#state = { step: 'answered', event: this.event, answer, isEarly };
    this.#onAnswer(answer);
  }
}
