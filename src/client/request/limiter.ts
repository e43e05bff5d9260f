import { type Clock, steadyTime, systemClock } from '../../foundation/clock.js';
import { onAbort } from '../../foundation/listeners.js';
import {
  aClock,
  aPositiveNumber,
  aWholeNumber,
  checkOptions,
  type OptionChecks,
} from '../../foundation/options.js';

/**
 * Options of {@link createLimiter}. Without a limit, the limiter only applies the pauses that the service asks for.
 */
export interface LimiterOptions {
  /** The maximum number of requests in flight. Default: no limit. */
  readonly concurrency?: number | undefined;
  /** The maximum number of requests that start per second, spaced evenly: 0.5 starts one in two seconds. Default: no limit. */
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
 * When the service responds with 429, all requests wait for its `Retry-After`, not only the one that received it. The wait
 * counts against the deadline of a call. A call whose deadline passes while it waits rejects with
 * `outcome: 'not_sent'`.
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
  const { concurrency = Number.POSITIVE_INFINITY, requestsPerSecond, clock = systemClock } = options;
  const spacing = requestsPerSecond === undefined ? 0 : 1_000 / requestsPerSecond;
  const queue = new Set<LimitedRequest>();
  const underWay = new Set<LimitedRequest>();
  let notBefore = Number.NEGATIVE_INFINITY;
  let cancelTimer = () => {};

  /** When a request may start, as far as the number of those under way decides. */
  function freeAt(now: number): number {
    if (underWay.size < concurrency) return now;
    for (const request of underWay) if (request.end <= now) underWay.delete(request);
    if (underWay.size < concurrency) return now;
    return Math.min(...[...underWay].map(({ end }) => end));
  }

  /**
   * Starts requests in the order in which they arrived.
   *
   * A runtime such as Workers may drop a call without a word: no promise of it settles, and no timer of it fires. So no
   * request counts beyond the deadline of its call, and each new call sets the timer again.
   */
  function admit(): void {
    cancelTimer();
    for (const request of queue) {
      const now = steadyTime(clock);
      const until = Math.max(notBefore, freeAt(now));
      if (now < until) {
        cancelTimer = clock.setTimer(admit, until - now);
        return;
      }
      queue.delete(request);
      if (request.end <= now) continue; // its call was dropped
      underWay.add(request);
      notBefore = now + spacing;
      request.start();
    }
  }

  return {
    get waiting() {
      return queue.size;
    },
    acquire: (signal, longest) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const release = () => {
          underWay.delete(request);
          admit();
        };
        const start = () => {
          leave();
          resolve(release);
        };
        const request = { start, end: steadyTime(clock) + longest };
        const leave = onAbort(signal, () => {
          leave();
          queue.delete(request);
          admit();
          reject(signal.reason);
        });
        queue.add(request);
        admit();
      }),
    pause(duration) {
      notBefore = Math.max(notBefore, steadyTime(clock) + duration);
    },
  };
}

const checks: OptionChecks = {
  concurrency: [
    (value) => aWholeNumber(1)[0](value) || value === Number.POSITIVE_INFINITY,
    'a whole number, 1 or more, or Infinity',
  ],
  requestsPerSecond: aPositiveNumber,
  clock: aClock,
};

/** A request in the queue or under way. */
interface LimitedRequest {
  readonly start: () => void;
  /** When its call has reached its deadline, in the steady time of the clock. */
  readonly end: number;
}
