import type { Clock } from '../../foundation/clock.js';
import type { DeliveryTimestamps } from '../model/environment.js';
import { isListenerUrl } from '../model/listener.js';
import { isBuiltInReceiver } from '../model/receiver.js';
import type { ClaimedDelivery } from '../store/store.js';
import type { Listeners } from './listeners.js';
import { away, clocksOfReceivers, refusals, skewAt } from './refused-for-time.js';
import {
  type AttemptResult,
  Cancellation,
  closed,
  describe,
  type OutgoingAttempt,
  type Sender,
  timed,
} from './sender.js';

/** One attempt, with the delivery that is attempted, and the secret that signs it. A sender needs neither. */
export type DeliveryAttempt = OutgoingAttempt & Pick<ClaimedDelivery, 'delivery' | 'secret'>;

/** Makes the attempts of a workspace's deliveries. */
export interface Attempts {
  /** Makes one attempt. Rejects only if the store becomes unreachable before anything is sent. */
  make(attempt: DeliveryAttempt): Promise<AttemptResult>;
  /** Aborts all running and future attempts. */
  close(): void;
}

/** How long a sender may take to obey a cancellation, in milliseconds. */
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

  function make(attempt: OutgoingAttempt): Promise<AttemptResult> {
    const cancellation = new Cancellation();
    return new Promise((resolve) => {
      let cancelTimer = () => {};
      const end = (error: Error) => {
        cancelTimer();
        cancellation.cancel(error);
        cancelTimer = machine.setTimer(() => settle({ error: error.message }), obedience);
      };
      const settle = (result: AttemptResult) => {
        cancelTimer();
        underWay.delete(end);
        resolve(result);
      };
      // Creates the error when the time is up, because its stack takes longer than the rest of an attempt that succeeds.
      const late = () => new Error(`no complete response within ${timeout / 1000} s`);
      cancelTimer = machine.setTimer(() => end(late()), timeout);
      underWay.add(end);
      sender.send(attempt, cancellation).then(settle, (error) => settle({ error: describe(error) }));
    });
  }

  return {
    async make(attempt) {
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

/** The clocks that a receiver may use, and which one sets the timestamp of a delivery. */
interface Clocks extends Readonly<Record<DeliveryTimestamps, Clock>> {
  readonly deliveryTimestamps: () => DeliveryTimestamps;
}

/** Makes the attempts of a workspace, with its faults, by its listeners, its built-in receiver or over HTTP. */
export function attemptsOf(
  inject: (attempt: DeliveryAttempt, send: Attempts['make']) => Promise<AttemptResult>,
  listeners: Pick<Listeners, 'attempt' | 'end'>,
  builtIn: Attempts,
  overHttp: Attempts,
  clocks: Clocks,
): Attempts {
  async function send(attempt: DeliveryAttempt): Promise<AttemptResult> {
    const outcome = isListenerUrl(attempt.url)
      ? await listeners.attempt(attempt.delivery, attempt)
      : await (isBuiltInReceiver(attempt.url) ? builtIn : overHttp).make(attempt);
    return withReason(outcome, attempt.body, clocks);
  }

  return {
    make: (attempt) => inject(attempt, send),
    close() {
      listeners.end();
      builtIn.close();
      overHttp.close();
    },
  };
}

/** Adds the likely reason to the error of a rejected attempt: a timestamp that the receiver considers too old or too new. */
function withReason(outcome: AttemptResult, body: Uint8Array, clocks: Clocks): AttemptResult {
  const { status } = outcome;
  const reason = refusals.includes(status) ? whyRefused(body, clocks, clocksThatReject(status)) : undefined;
  if (reason === undefined) return outcome;
  const likelier = status === 401 ? 'the secret of the receiver may be another one, or ' : '';
  return { ...outcome, error: `${outcome.error}; ${likelier}${reason}` };
}

/** The clocks of the receivers that reject a time with this status. Only a receiver of this package can have the workspace's: that has 400. */
function clocksThatReject(status: number | undefined): readonly DeliveryTimestamps[] {
  return status === 401 ? ['machine'] : ['machine', 'workspace'];
}

function whyRefused(
  body: Uint8Array,
  clocks: Clocks,
  ofReceivers: readonly DeliveryTimestamps[],
): string | undefined {
  for (const which of ofReceivers) {
    const skew = skewAt(body, clocks[which].now());
    if (skew === undefined) continue;
    const { clock, advice } = clocksOfReceivers[which];
    const refused = `its timestamp is ${away(skew)} ${clock}, so a receiver with that clock rejects it`;
    return clocks.deliveryTimestamps() === which ? refused : `${refused}: ${advice}`;
  }
  return undefined;
}
