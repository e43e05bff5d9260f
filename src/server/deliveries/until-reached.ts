import { StoreUnavailableError } from '../model/service-error.js';
import { lookAgainAfter } from '../time/machine-clock.js';

/** The number of tries while the store is unreachable, and the pause between them in milliseconds. */
const tries = 40;
const pause = 250;

/**
 * Repeats a step while the store is unreachable, so that the result of an attempt or send is not lost. Rejects after ten
 * seconds.
 */
export async function untilReached<Result>(step: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || attempt === tries) throw error;
      await lookAgainAfter(pause);
    }
  }
}
