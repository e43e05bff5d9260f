import type { WebhookEvent } from '../../contract/delivery.js';
import type { ReceivedRequest, ReceiverResponse } from './exchange.js';
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
      /** The response to send. Set when the handlers are done and only the claim remains to be settled. */
      readonly outcome?: ReceiverResponse;
    }
  | {
      readonly step: 'responded';
      readonly event: WebhookEvent | undefined;
      readonly response: ReceiverResponse;
      /** Whether the receiver responded before all work was done. */
      readonly isEarly: boolean;
    };

/** One request in the receiver. */
export class Delivery<Request> {
  readonly received: ReceivedRequest<Request>;
  /** The deadline of the response, in milliseconds since the Unix epoch. */
  readonly respondBy: number;
  #state: DeliveryState<Request> = { step: 'reading' };
  #onResponse: (response: ReceiverResponse) => void = () => {};
  /** The response, when the delivery has one. */
  readonly responded: Promise<ReceiverResponse>;

  constructor(received: ReceivedRequest<Request>, respondBy: number) {
    this.received = received;
    this.respondBy = respondBy;
    this.responded = new Promise((resolve) => {
      this.#onResponse = resolve;
    });
  }

  get state(): DeliveryState<Request> {
    return this.#state;
  }

  /** The event. `undefined` before it is verified. */
  get event(): WebhookEvent | undefined {
    return 'event' in this.#state ? this.#state.event : undefined;
  }

  get hasResponse(): boolean {
    return this.#state.step === 'responded';
  }

  /** The response that the sender got or will get. */
  get response(): ReceiverResponse | undefined {
    if (this.#state.step === 'responded') return this.#state.response;
    return this.#state.step === 'handling' ? this.#state.outcome : undefined;
  }

  /** Moves to the next step. Returns false if the delivery already has its response. */
  moveTo(next: Exclude<DeliveryState<Request>, { step: 'responded' }>): boolean {
    if (this.#state.step === 'responded') return false;
    this.#state = next;
    return true;
  }

  /** Responds to the sender. Only the first response counts. */
  respondWith(response: ReceiverResponse, isEarly = false): void {
    if (this.#state.step === 'responded') return;
    this.#state = { step: 'responded', event: this.event, response, isEarly };
    this.#onResponse(response);
  }
}
