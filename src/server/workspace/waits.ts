import { RateLimitedError } from '../model/service-error.js';
import { HeldRequests } from '../time/work.js';

/** The largest number of waits. More come from a loop that does not await the responses. */
const waitsAtOnce = 100;

/** The running waits of readers, which end with the workspace. */
export class Waits extends HeldRequests {
  /**
   * Adds a wait over HTTP. A wait of the process itself, which knows what it does, has no limit.
   *
   * @throws RateLimitedError at the limit.
   */
  begin(end: () => void): () => void {
    if (this.size >= waitsAtOnce) {
      throw new RateLimitedError(
        `${waitsAtOnce} requests already wait in this workspace. Await their responses first.`,
        1_000,
      );
    }
    return this.add(end);
  }
}
