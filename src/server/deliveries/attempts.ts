import type { AttemptRecord } from '../model/records.js';
import type { ClaimedDelivery } from '../store/outbox-store.js';
import type { Attempt, AttemptResult, Sender } from './sender.js';

/** The result of an attempt. A fault can also change when it started and what its signature was. */
export type AttemptOutcome = AttemptResult &
  Partial<Pick<AttemptRecord, 'startedAt' | 'signature' | 'faults'>>;

/** The delivery that is attempted, and the secret that signs it. */
export type AttemptedDelivery = Pick<ClaimedDelivery, 'delivery' | 'secret'>;

/** Makes the attempts of a workspace's deliveries. What makes them otherwise, such as faults, wraps around this. */
export interface Attempts {
  /** Makes one. Never rejects. */
  make(attempted: AttemptedDelivery, attempt: Attempt): Promise<AttemptOutcome>;
  /** Ends the attempts under way, and refuses all later ones. */
  close(): void;
}

/** Attempts that are sent as they are. */
export function attemptsBy(sender: Sender): Attempts {
  return {
    make: (_, attempt) => sender.send(attempt),
    close: () => sender.close(),
  };
}
