import { RefusedRequestError } from './errors.js';

/** The most bytes of bodies that a receiver holds before it has checked their signatures: 64 of the default largest size. */
const mostHeld = 64 * 1024 * 1024;

/** A delivery whose bytes are counted. */
export interface UnverifiedDelivery {
  readonly step: string;
  readonly hasResponse: boolean;
  /** Refuses it. */
  fail(error: RefusedRequestError): void;
}

/**
 * Counts the bytes of bodies that are in memory and not verified. Anyone can send them, so all of them together have a limit. Counts
 * what has arrived, and not what a request announces, and refuses the largest body first: so senders of large bodies do not keep out
 * deliveries, which are small.
 */
export class UnverifiedBytes {
  readonly #most: number;
  readonly #held = new Map<UnverifiedDelivery, number>();
  #total = 0;

  constructor(maxBodyBytes: number) {
    this.#most = Math.max(mostHeld, maxBodyBytes);
  }

  /**
   * Counts further bytes of a body that is being read.
   *
   * @throws RefusedRequestError if they are too many, or the delivery has a response.
   */
  hold(delivery: UnverifiedDelivery, bytes: number): void {
    if (delivery.hasResponse) throw overloaded(this.#most);
    this.#held.set(delivery, (this.#held.get(delivery) ?? 0) + bytes);
    this.#total += bytes;
    while (this.#total > this.#most) {
      const largest = this.#largestBeside(delivery);
      this.release(largest);
      if (largest === delivery) throw overloaded(this.#most);
      largest.fail(overloaded(this.#most));
    }
  }

  /** The delivery with the largest body that may be refused. */
  #largestBeside(delivery: UnverifiedDelivery): UnverifiedDelivery {
    let largest = delivery;
    for (const [other, size] of this.#held) {
      // A body that was read whole waits for its secret, and is not refused any more.
      const isReading = other.step === 'reading' && !other.hasResponse;
      if (isReading && size > (this.#held.get(largest) ?? 0)) largest = other;
    }
    return largest;
  }

  /** Ends the count of a delivery, when it is verified or has failed. */
  release(delivery: UnverifiedDelivery): void {
    this.#total -= this.#held.get(delivery) ?? 0;
    this.#held.delete(delivery);
  }
}

function overloaded(most: number): RefusedRequestError {
  return new RefusedRequestError(
    'overloaded',
    `The receiver holds ${most} bytes of bodies whose signatures it has not checked yet, and takes no more. It refused ` +
      'the largest of them. Many senders send large bodies slowly, or the secret function is slow.',
  );
}
