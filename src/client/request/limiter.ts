import { onAbort } from '../../foundation/abort-listeners.js';
import { type Clock, steadyTime, systemClock } from '../../foundation/clock.js';
import { aClock, aPositiveNumber, checkOptions, type OptionChecks } from '../../foundation/options.js';

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
   *   reason. After `longest` milliseconds the request counts as ended.
   */
  acquire(signal: AbortSignal, longest: number): Promise<() => void>;
  /** @internal Starts no request for this many milliseconds. */
  pause(duration: number): void;
}

/**
 * Creates a limiter for the client option `limiter`. It starts requests and retries in the order in which they arrive.
 * When the service answers 429, all requests wait for its `Retry-After`, not only the one that received it. The wait
 * counts against the deadline of a call. A call whose deadline passes while it waits rejects with `outcome:
 * 'not_sent'`.
 *
 * @throws {ConfigurationError} when an option is invalid.
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
  checkOptions('createLimiter', options, checks);
  const { concurrency = Number.POSITIVE_INFINITY, requestsPerSecond = Number.POSITIVE_INFINITY } = options;
  return new QueueLimiter(concurrency, 1_000 / requestsPerSecond, options.clock ?? systemClock);
}

const checks: OptionChecks = {
  concurrency: aPositiveNumber,
  requestsPerSecond: aPositiveNumber,
  clock: aClock,
};

/** A request in the queue or under way. */
interface LimitedRequest {
  readonly start: () => void;
  /** When its call has reached its deadline, in the steady time of the clock. */
  readonly end: number;
}

/**
 * Starts requests in the order in which they arrive.
 *
 * A runtime such as Workers may drop a call without a word: no promise of it settles, and no timer of it fires. So no
 * request counts beyond the deadline of its call, and each new call sets the timer again.
 */
class QueueLimiter implements Limiter {
  readonly #concurrency: number;
  readonly #spacing: number;
  readonly #clock: Clock;
  readonly #queue = new Set<LimitedRequest>();
  readonly #underWay = new Set<LimitedRequest>();
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

  acquire(signal: AbortSignal, longest: number): Promise<() => void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const request: LimitedRequest = {
        end: steadyTime(this.#clock) + longest,
        start: () => {
          leave();
          resolve(() => this.#release(request));
        },
      };
      const leave = onAbort(signal, () => {
        leave();
        this.#queue.delete(request);
        this.#admit();
        reject(signal.reason);
      });
      this.#queue.add(request);
      this.#admit();
    });
  }

  pause(duration: number): void {
    this.#notBefore = Math.max(this.#notBefore, steadyTime(this.#clock) + duration);
  }

  #release(request: LimitedRequest): void {
    this.#underWay.delete(request);
    this.#admit();
  }

  #admit(): void {
    for (const request of this.#queue) {
      const now = steadyTime(this.#clock);
      const until = Math.max(this.#notBefore, this.#freeAt(now));
      if (now < until) {
        this.#admitIn(until - now);
        return;
      }
      this.#queue.delete(request);
      if (request.end <= now) continue; // its call was dropped
      this.#underWay.add(request);
      this.#notBefore = now + this.#spacing;
      request.start();
    }
    this.#stopTimer();
  }

  /** When a request may start, as far as the number of those under way decides. */
  #freeAt(now: number): number {
    if (this.#underWay.size < this.#concurrency) return now;
    for (const request of this.#underWay) if (request.end <= now) this.#underWay.delete(request);
    if (this.#underWay.size < this.#concurrency) return now;
    return Math.min(...[...this.#underWay].map(({ end }) => end));
  }

  #admitIn(delay: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#clock.setTimer(() => {
      this.#cancelTimer = undefined;
      this.#admit();
    }, delay);
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}
