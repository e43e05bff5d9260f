import { StoreUnavailableError } from '../model/service-error.js';
import { lookAgainAfter } from '../time/machine-clock.js';

/** How often to try while the store is out of reach, and how long to wait in between, in milliseconds. */
const tries = 40;
const pause = 250;

/**
 * Repeats a step of the store while the store is out of reach: what happened outside must not be lost. After ten seconds, it
 * rejects.
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
