/** A source of time. This package reads time only from a `Clock`, so that a test can control it. */
export interface Clock {
  /** The time in milliseconds since the Unix epoch. */
  now(): number;
  /**
   * Milliseconds since any fixed moment. It never goes back or jumps when the machine's time is set, so the client
   * measures waits and deadlines with it. Default: `now`.
   */
  monotonic?(): number;
  /**
   * Calls `callback` once, after `delay` milliseconds.
   *
   * @returns A function that cancels the timer. It does nothing after the timer fired.
   */
  setTimer(callback: () => void, delay: number): () => void;
}

/**
 * The longest delay that `setTimeout` supports, in milliseconds: nearly 25 days. A longer one fires at once.
 */
export const longestDelay = 2 ** 31 - 1;

/** The machine's clock. Its waits do not jump when the machine's time is set. A timer with a delay beyond the maximum fires after the maximum. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(callback, delay) {
    const timer = setTimeout(callback, Math.min(delay, longestDelay));
    return () => clearTimeout(timer);
  },
};

/** A time that does not jump when the machine's clock is set. */
export function steadyTime(clock: Clock): number {
  return clock.monotonic?.() ?? clock.now();
}

/** Waits for some work. If it is not done after the given milliseconds, returns what `late` returns, or rejects with what it throws. */
export function atMost<Done, Late>(
  clock: Pick<Clock, 'setTimer'>,
  milliseconds: number,
  work: Promise<Done>,
  late: () => Late | Promise<Late>,
): Promise<Done | Late> {
  return new Promise((resolve, reject) => {
    const end = async () => late(); // a promise, also if it throws
    const cancelTimer = clock.setTimer(() => resolve(end()), milliseconds);
    work.finally(cancelTimer).then(resolve, reject);
  });
}

/**
 * Parses `Retry-After`, in seconds or as an HTTP date, to milliseconds from `now`. It also reads what gateways make of it:
 * `1s`, a date in ISO 8601, and `1, 5` where two of them each set the header. The longest counts.
 */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const seconds = header.split(',').map((part) => /^\s*(\d+(?:\.\d+)?)s?\s*$/i.exec(part)?.[1]);
  if (seconds.every((part) => part !== undefined)) return Math.max(...seconds.map(Number)) * 1_000;
  // Date.parse accepts "-5" and "12" as dates. An HTTP date begins with the name of a day.
  const date = /^([A-Za-z]{3}|\d{4}-\d\d-\d\dT)/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
