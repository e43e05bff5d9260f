import { steadyTime } from '../../foundation/clock.js';
import { StoreUnavailableError } from '../model/service-error.js';
import { lookAgainAfter, machineClock } from '../time/machine-clock.js';

/** How long a step is repeated while the store is unreachable, and the pause between two tries. In milliseconds. */
const longest = 10_000;
const pause = 250;

/**
 * Repeats a step while the store is unreachable, so that the result of an attempt or send is not lost. Begins no try after
 * ten seconds.
 */
export async function untilReached<Result>(step: () => Promise<Result>): Promise<Result> {
  const end = steadyTime(machineClock) + longest;
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || steadyTime(machineClock) >= end) throw error;
      await lookAgainAfter(pause);
    }
  }
}
