import type { Clock } from '../../foundation/clock.js';
import type { AttemptRecord } from '../model/records.js';
import type { ClaimedDelivery } from '../store/outbox-store.js';
import { type Attempt, type AttemptResult, closed, describe, type Sender, timed } from './sender.js';

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

/** How long a sender may take to obey its signal, in milliseconds. */
const obedience = 100;

/**
 * Makes attempts without faults. Its deadline is outside of the sender, so no attempt outlives it, whatever the receiver or
 * the sender does.
 *
 * @param machine The machine's clock.
 * @param timeout The time of an attempt, from the DNS lookup to the end of the response. In milliseconds.
 */
export function attemptsBy(sender: Sender, machine: Clock, timeout: number): Attempts {
  const underWay = new Set<(error: Error) => void>();
  let isClosed = false;

  function make(attempt: Attempt): Promise<AttemptResult> {
    const controller = new AbortController();
    return new Promise((resolve) => {
      let cancelTimer = () => {};
      const end = (error: Error) => {
        cancelTimer();
        controller.abort(error);
        cancelTimer = machine.setTimer(() => settle({ error: error.message }), obedience);
      };
      const settle = (result: AttemptResult) => {
        cancelTimer();
        underWay.delete(end);
        resolve(result);
      };
      const late = new Error(`no complete answer within ${timeout / 1000} s`);
      cancelTimer = machine.setTimer(() => end(late), timeout);
      underWay.add(end);
      sender.send(attempt, controller.signal).then(settle, (error) => settle({ error: describe(error) }));
    });
  }

  return {
    async make(_, attempt) {
      if (isClosed) return { error: closed().message };
      const startedAt = machine.now();
      return timed(await make(attempt), startedAt, machine.now());
    },
    close() {
      isClosed = true;
      for (const end of underWay) end(closed());
      sender.close();
    },
  };
}
