import { type Clock, steadyTime } from '../../foundation/clock.js';
import { onAbort } from '../../foundation/listeners.js';

/** The deadline of a call, by {@link startDeadline}. */
export type Deadline = ReturnType<typeof startDeadline>;

/**
 * Starts the deadline of a call, combined with the caller's signal. It bounds everything that the call waits for, even work
 * that ignores its signal. Disposing of it removes the timer and the listeners.
 *
 * @param expired Creates the error for a passed deadline.
 */
export function startDeadline(
  clock: Clock,
  timeout: number,
  caller: AbortSignal | undefined,
  expired: () => Error,
) {
  const controller = new AbortController();
  const { signal } = controller;
  const end = steadyTime(clock) + timeout;
  let rejectBounded: (reason: unknown) => void = () => {};
  const interrupt = (reason: unknown) => {
    controller.abort(reason);
    rejectBounded(reason);
  };
  const leaveCaller = caller && onAbort(caller, () => interrupt(caller.reason));
  const cancelTimer = clock.setTimer(() => interrupt(expired()), timeout);

  /** Waits for `work`, one at a time. Rejects with the signal's reason if the signal aborts first. */
  function bound<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      rejectBounded = reject;
      work.then(resolve, reject);
      if (signal.aborted) reject(signal.reason);
    });
  }

  return {
    /** Aborts when the deadline passes or the caller aborts. The call rejects with its reason. */
    signal,
    bound,
    /** Milliseconds until the deadline. */
    remaining: () => end - steadyTime(clock),
    /**
     * Waits `delay` milliseconds, or until `cutShort` aborts. Rejects with the signal's reason if the signal aborts first.
     */
    async wait(delay: number, cutShort: AbortSignal | undefined): Promise<void> {
      let cancelDelay = () => {};
      let leave = () => {};
      const over = new Promise<void>((resolve) => {
        cancelDelay = clock.setTimer(resolve, delay);
        if (cutShort) leave = onAbort(cutShort, resolve);
        if (cutShort?.aborted) resolve();
      });
      try {
        await bound(over);
      } finally {
        cancelDelay();
        leave();
      }
    },
    /** Stops the deadline, once the call has ended. */
    dispose(): void {
      cancelTimer();
      leaveCaller?.();
    },
  };
}
