import type { AttemptRecord } from '../model/records.js';
import type { ClaimedDelivery } from '../store/outbox-store.js';
import type { Attempt, AttemptResult, Sender } from './sender.js';

/** The result of an attempt. A fault can also change when it started and what its signature was. */
export type AttemptOutcome = AttemptResult &
  Partial<Pick<AttemptRecord, 'startedAt' | 'signature' | 'faults'>>;

/** The delivery that is attempted, and the secret that signs it. */
export type AttemptedDelivery = Pick<ClaimedDelivery, 'delivery' | 'secret'>;

/** Makes the attempts of a workspace's deliveries. Faults wrap around it. */
export interface Attempts {
  /** Makes one attempt. Rejects only if the store is out of reach before anything is sent. */
  make(attempted: AttemptedDelivery, attempt: Attempt): Promise<AttemptOutcome>;
  /** Aborts all running and future attempts. */
  close(): void;
}

/** Makes attempts without faults. */
export function attemptsBy(sender: Sender): Attempts {
  return {
    make: (_, attempt) => sender.send(attempt),
    close: () => sender.close(),
  };
}
