import type { WebhookEvent } from '../../contract/delivery.js';
import type { Clock } from '../../foundation/clock.js';
import type { ReceivedDelivery } from './receiver-options.js';

/** What a receiver says of a delivery: it holds no part of it but the name of its event. */
export interface DeliveryNote {
  readonly at: number;
  readonly event: string;
  outcome: ReceivedDelivery['outcome'];
}

/** Knows the last verified delivery of a receiver. */
export class LastDelivery {
  #note: DeliveryNote | undefined;

  /** Notes that a delivery was verified. Who handles it changes the outcome. */
  note({ event }: WebhookEvent, clock: Clock): DeliveryNote {
    this.#note = { at: clock.now(), event, outcome: 'in_progress' };
    return this.#note;
  }

  described(): ReceivedDelivery | undefined {
    if (this.#note === undefined) return undefined;
    const { at, event, outcome } = this.#note;
    return { at: new Date(at).toISOString(), event, outcome };
  }
}
