import { onAbort } from '../../foundation/abort-listeners.js';
import { type Clock, steadyTime, systemClock } from '../../foundation/clock.js';
import { ConfigurationError } from '../errors/usage-errors.js';

/**
 * How fast a limiter lets requests go. Without either bound it only honours the pauses that the service asks for.
 */
export interface LimiterOptions {
  /** How many requests may be on their way at once. Default: any number. */
  readonly concurrency?: number | undefined;
  /** How many requests may begin within a second; they are spaced evenly. Default: any number. */
  readonly requestsPerSecond?: number | undefined;
  /** Where time comes from. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Lets the requests of one client, or of several that share a key, go no faster than the service takes them. Made by
 * {@link createLimiter}.
 */
export interface Limiter {
  /** How many requests wait for their turn. */
  readonly waiting: number;
  /** @internal Resolves when a request may go out, with what says that it is over. Rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<() => void>;
  /** @internal Lets no request begin for so many milliseconds. */
  pause(duration: number): void;
}

/**
 * Makes a limiter for the client option `limiter`. Requests pass it in the order in which they come, retries too. When
 * the service answers 429, all of them wait for as long as its `Retry-After` asks, not only the one that met it. The
 * time that a call waits counts against its deadline; a call that waits in vain ends with `outcome: 'not_sent'`.
 *
 * @throws {ConfigurationError} where an option is not a number above zero.
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

/** Lets requests go in the order in which they came. */
class QueueLimiter implements Limiter {
  readonly #concurrency: number;
  readonly #spacing: number;
  readonly #clock: Clock;
  readonly #queue = new Set<() => void>();
  #underWay = 0;
  #notBefore = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;

  /** @param spacing Milliseconds from the beginning of one request to that of the next. */
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
