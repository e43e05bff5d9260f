import type { Delivery } from './delivery.js';
import { RefusedRequestError } from './errors.js';

/** The most bytes of bodies that a receiver holds before it has checked their signatures: 64 of the default largest size. */
const mostHeld = 64 * 1024 * 1024;

/**
 * Counts the bytes of bodies that are in memory and not verified. Anyone can send them, so all of them together have a limit. Counts
 * what has arrived, and not what a request announces, and refuses the largest body first: so senders of large bodies do not keep out
 * deliveries, which are small.
 */
export function countUnverifiedBytes<Request>(
  maxBodyBytes: number,
  refuse: (delivery: Delivery<Request>, error: RefusedRequestError) => void,
) {
  const most = Math.max(mostHeld, maxBodyBytes);
  const held = new Map<Delivery<Request>, number>();
  let total = 0;

  /**
   * Counts further bytes of a body that is being read.
   *
   * @throws RefusedRequestError if they are too many, or the delivery has a response.
   */
  function hold(delivery: Delivery<Request>, bytes: number): void {
    if (delivery.hasResponse) throw overloaded(most);
    held.set(delivery, (held.get(delivery) ?? 0) + bytes);
    total += bytes;
    while (total > most) {
      let largest = delivery;
      for (const [other, size] of held) {
        // A body that was read whole waits for its secret, and is not refused any more.
        const isReading = other.step === 'reading' && !other.hasResponse;
        if (isReading && size > (held.get(largest) ?? 0)) largest = other;
      }
      release(largest);
      if (largest === delivery) throw overloaded(most);
      refuse(largest, overloaded(most));
    }
  }

  /** Ends the count of a delivery, when it is verified or has failed. */
  function release(delivery: Delivery<Request>): void {
    total -= held.get(delivery) ?? 0;
    held.delete(delivery);
  }

  return { hold, release };
}

function overloaded(most: number): RefusedRequestError {
  return new RefusedRequestError(
    'overloaded',
    `The receiver holds ${most} bytes of bodies whose signatures it has not checked yet, and takes no more. It refused ` +
      'the largest of them. Many senders send large bodies slowly, or the secret function is slow.',
  );
}
