import type { WebhookEvent } from '../../contract/delivery.js';
import type { Clock } from '../../foundation/clock.js';
import type { LastDelivery } from './receiver-options.js';

/** What a receiver says of a delivery: it holds no part of it but the name of its event. */
export interface DeliveryNote {
  readonly at: number;
  readonly event: string;
  outcome: LastDelivery['outcome'];
}

/** Notes the verified deliveries of a receiver. Only the last one is kept. */
export class DeliveryNotes {
  #note: DeliveryNote | undefined;

  /** Notes that a delivery was verified. Who handles it changes the outcome. */
  add({ event }: WebhookEvent, clock: Clock): DeliveryNote {
    this.#note = { at: clock.now(), event, outcome: 'in_progress' };
    return this.#note;
  }

  last(): LastDelivery | undefined {
    if (this.#note === undefined) return undefined;
    const { at, event, outcome } = this.#note;
    return { at: new Date(at).toISOString(), event, outcome };
  }
}
