import { onAbort } from '../../foundation/abort-listeners.js';
import { type Clock, steadyTime, systemClock } from '../../foundation/clock.js';
import { ConfigurationError } from '../errors/usage-errors.js';

/**
 * Options of {@link createLimiter}. Without a limit, the limiter only applies the pauses that the service asks for.
 */
export interface LimiterOptions {
  /** The maximum number of requests in flight. Default: no limit. */
  readonly concurrency?: number | undefined;
  /** The maximum number of requests that start per second, spaced evenly. Default: no limit. */
  readonly requestsPerSecond?: number | undefined;
  /** The source of time, for tests. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Limits the requests of one client, or of several clients that share a key. Created by {@link createLimiter}.
 */
export interface Limiter {
  /** How many requests are waiting. */
  readonly waiting: number;
  /**
   * @internal Resolves when a request may start, with a function that ends the request. Rejects with the signal's
   *   reason.
   */
  acquire(signal: AbortSignal): Promise<() => void>;
  /** @internal Starts no request for this many milliseconds. */
  pause(duration: number): void;
}

/**
 * Creates a limiter for the client option `limiter`. It starts requests and retries in the order in which they arrive.
 * When the service answers 429, all requests wait for its `Retry-After`, not only the one that received it. The wait
 * counts against the deadline of a call. A call whose deadline passes while it waits rejects with `outcome:
 * 'not_sent'`.
 *
 * @throws {ConfigurationError} when an option is not a number above 0.
 *
 * @example
 * ```ts
 * import { createLimiter, MessagingAutomation } from 'messaging-automation';
 *
 * const limiter = createLimiter({ concurrency: 10 });
 * const messaging = new MessagingAutomation({ limiter });
 * const phones = ['+15551234567', '+15557654321'];
 * await Promise.all(phones.map((phone) => messaging.contacts.upsert({ phone })));
 * console.log(limiter.waiting); // 0
 * ```
 */
export function createLimiter(options: LimiterOptions = {}): Limiter {
  const { concurrency = Number.POSITIVE_INFINITY, requestsPerSecond = Number.POSITIVE_INFINITY } = options;
  for (const [name, value] of Object.entries({ concurrency, requestsPerSecond })) {
    if (typeof value !== 'number' || !(value > 0))
      throw new ConfigurationError(`${name} of the limiter must be a number above 0.`);
  }
  return new QueueLimiter(concurrency, 1_000 / requestsPerSecond, options.clock ?? systemClock);
}

/** Starts requests in the order in which they arrive. */
class QueueLimiter implements Limiter {
  readonly #concurrency: number;
  readonly #spacing: number;
  readonly #clock: Clock;
  readonly #queue = new Set<() => void>();
  #underWay = 0;
  #notBefore = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;

  /** @param spacing Milliseconds between the starts of two requests. */
  constructor(concurrency: number, spacing: number, clock: Clock) {
    this.#concurrency = concurrency;
    this.#spacing = spacing;
    this.#clock = clock;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  acquire(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const admit = () => {
        leave();
        resolve(() => this.#release());
      };
      const leave = onAbort(signal, () => {
        leave();
        this.#queue.delete(admit);
        if (this.#queue.size === 0) this.#stopTimer();
        reject(signal.reason);
      });
      this.#queue.add(admit);
      this.#admit();
    });
  }

  pause(duration: number): void {
    this.#notBefore = Math.max(this.#notBefore, steadyTime(this.#clock) + duration);
  }

  #release(): void {
    this.#underWay -= 1;
    this.#admit();
  }

  #admit(): void {
    for (const admit of this.#queue) {
      if (this.#underWay >= this.#concurrency) return;
      const now = steadyTime(this.#clock);
      if (now < this.#notBefore) {
        this.#admitIn(this.#notBefore - now);
        return;
      }
      this.#underWay += 1;
      this.#notBefore = now + this.#spacing;
      this.#queue.delete(admit);
      admit();
    }
  }

  #admitIn(delay: number): void {
    this.#cancelTimer ??= this.#clock.setTimer(() => {
      this.#cancelTimer = undefined;
      this.#admit();
    }, delay);
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}
