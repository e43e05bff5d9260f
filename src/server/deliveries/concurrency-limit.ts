import { soon } from '../time/machine-clock.js';

/** How many attempts can run at once to an endpoint that has not acknowledged an attempt since its last failure. */
const fewest = 2;

/** How many attempts can run at once to an endpoint that acknowledges them. Other deliveries wait in the outbox. */
const most = 16;

/**
 * How many attempts can run at once to one endpoint. The limit begins at two, doubles with each
 * acknowledged attempt up to sixteen, and returns to two after a failure. So a dead endpoint uses few connections, and a
 * slow endpoint delays only its own deliveries.
 */
export class ConcurrencyLimit {
  #open = 0;
  #limit = fewest;
  #missed = false;

  /** Whether the endpoint has acknowledged an attempt since its last failure. */
  get isProven(): boolean {
    return this.#limit > fewest;
  }

  get isIdle(): boolean {
    return this.#open === 0;
  }

  /** Starts an attempt. False at the limit: then the next `close` returns true. */
  open(): boolean {
    if (this.#open < this.#limit) {
      this.#open += 1;
      return true;
    }
    this.#missed = true;
    return false;
  }

  /** Whether a failure has lowered the limit below the number of running attempts. Then this one must not start another. */
  isOneTooMany(): boolean {
    if (this.#open <= this.#limit) return false;
    this.#missed = true;
    return true;
  }

  /** Ends an attempt. True if an `open` failed since then: the caller must start another, because a delivery may be due. */
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

/** How many callers continue per turn of the event loop. */
const inOneTurn = 4;

/** Lets a few callers continue in each turn of the event loop, in their order. */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Resolves when it is the caller's turn. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) this.#letSomeThrough();
    });
  }

  #letSomeThrough(): void {
    soon(() => {
      for (const resume of this.#waiting.splice(0, inOneTurn)) resume();
      if (this.#waiting.length > 0) this.#letSomeThrough();
    });
  }
}
