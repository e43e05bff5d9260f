/** How many attempts may be under way to an endpoint that has not acknowledged any, or has failed since. */
const fewest = 2;

/** How many to an endpoint that acknowledges. What waits beyond that waits in the outbox. */
const most = 16;

/**
 * The lanes to one endpoint: each makes one attempt after another. Few are open at first, twice as many after each
 * attempt that is acknowledged, and few again after one that fails. So a dead endpoint holds few connections, and a slow
 * one holds up nothing but itself.
 */
export class Lanes {
  #open = 0;
  #limit = fewest;
  #missed = false;

  /** Whether the endpoint has acknowledged an attempt, and has not failed since. */
  get isProven(): boolean {
    return this.#limit > fewest;
  }

  get isIdle(): boolean {
    return this.#open === 0;
  }

  /** Opens one more lane. False where as many are open as may be: then one that closes makes up for it. */
  open(): boolean {
    if (this.#open < this.#limit) {
      this.#open += 1;
      return true;
    }
    this.#missed = true;
    return false;
  }

  /** Whether more are open than may be since the endpoint has failed: then one of them has to close. */
  isOneTooMany(): boolean {
    if (this.#open <= this.#limit) return false;
    this.#missed = true;
    return true;
  }

  /** Closes a lane. True where another is to look whether something is due: this one may have looked too early. */
  close(): boolean {
    this.#open -= 1;
    const missed = this.#missed;
    this.#missed = false;
    return missed;
  }

  acknowledged(): void {
    this.#limit = Math.min(most, this.#limit * 2);
  }

  failed(): void {
    this.#limit = fewest;
  }
}
