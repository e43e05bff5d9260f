import { RateLimitedError } from '../model/service-error.js';

/** More at once are a loop that asks without awaiting the answers. */
const waitsAtOnce = 100;

/** The waits of readers who asked for what is still to come: so many at once, and none beyond the workspace's end. */
export class Waits {
  readonly #ends = new Set<() => void>();
  #over = false;

  /**
   * Takes in one more.
   *
   * @param end - Ends it with the workspace.
   * @returns What is to be called when it is over.
   * @throws RateLimitedError where there are as many as may be.
   */
  begin(end: () => void): () => void {
    if (this.#ends.size >= waitsAtOnce) {
      throw new RateLimitedError(
        `${waitsAtOnce} requests wait in this workspace already. Await the answers of those.`,
        1_000,
      );
    }
    if (this.#over) end();
    this.#ends.add(end);
    return () => void this.#ends.delete(end);
  }

  /** Ends all that there are and will be. */
  end(): void {
    this.#over = true;
    for (const end of this.#ends) end();
  }
}
