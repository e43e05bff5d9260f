import type { AttemptRecord } from '../model/records.js';
import type { ClaimedDelivery } from '../store/outbox-store.js';
import type { Attempt, AttemptResult, Sender } from './sender.js';

/** The result of an attempt. A fault can also change its start time and its signature. */
export type AttemptOutcome = AttemptResult &
  Partial<Pick<AttemptRecord, 'startedAt' | 'signature' | 'faults'>>;

/** The delivery that is attempted, and the secret that signs it. */
export type AttemptedDelivery = Pick<ClaimedDelivery, 'delivery' | 'secret'>;

/** Makes the attempts of a workspace's deliveries. Faults and listeners wrap another implementation. */
export interface Attempts {
  /** Makes one attempt. Rejects only if the store becomes unreachable before anything is sent. */
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
