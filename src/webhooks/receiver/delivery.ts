import type { WebhookEvent } from '../../contract/delivery.js';
import type { ReceivedRequest, ReceiverResponse } from './exchange.js';
import type { HandlerContext } from './handlers.js';

/** What is known of a delivery once it is verified. */
export interface VerifiedDelivery<Request> {
  readonly event: WebhookEvent;
  readonly context: HandlerContext<Request>;
}

/**
 * One request in the receiver. It passes through the four steps in their order, until it has its response: at the end of the last one, or
 * before if it is refused, if something fails, or when its time is up.
 */
export class Delivery<Request> {
  readonly received: ReceivedRequest<Request>;
  /** The deadline of the response, in milliseconds since the Unix epoch. */
  readonly respondBy: number;
  step: 'reading' | 'verifying' | 'claiming' | 'handling' = 'reading';
  /** Set from the step `claiming` on. */
  verified: VerifiedDelivery<Request> | undefined;
  /** Why the last try to claim it did not succeed: another attempt has it, or the store failed. */
  unclaimed: 'in_progress' | { readonly failure: unknown } | undefined;
  /** The response to send. Set when the handlers are done and only the claim remains to be settled. */
  outcome: ReceiverResponse | undefined;
  /** The response that the sender got. */
  response: ReceiverResponse | undefined;
  /** Whether the receiver responded before all work was done. */
  isEarly = false;
  /** The response, when the delivery has one. */
  readonly responded: Promise<ReceiverResponse>;
  #onResponse: (response: ReceiverResponse) => void = () => {};

  constructor(received: ReceivedRequest<Request>, respondBy: number) {
    this.received = received;
    this.respondBy = respondBy;
    this.responded = new Promise((resolve) => {
      this.#onResponse = resolve;
    });
  }

  get hasResponse(): boolean {
    return this.response !== undefined;
  }

  /** Moves to the next step. Returns false if the delivery already has its response. */
  moveTo(step: Delivery<Request>['step'], verified = this.verified): boolean {
    if (this.hasResponse) return false;
    this.step = step;
    this.verified = verified;
    return true;
  }

  /** Responds to the sender. Only the first response counts. */
  respondWith(response: ReceiverResponse, isEarly = false): void {
    if (this.hasResponse) return;
    this.response = response;
    this.isEarly = isEarly;
    this.#onResponse(response);
  }
}
