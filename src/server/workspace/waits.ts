import { RateLimitedError } from '../model/service-error.js';

/** The largest number of waits. More come from a loop that does not await the responses. */
const waitsAtOnce = 100;

/** The running waits of readers. Limits their number, and ends them with the workspace. */
export class Waits {
  readonly #ends = new Set<() => void>();
  #over = false;

  /** Whether no reader waits. */
  get isIdle(): boolean {
    return this.#ends.size === 0;
  }

  /**
   * Adds a wait over HTTP.
   *
   * @param end - Ends it with the workspace.
   * @returns A function to call when the wait is over.
   * @throws RateLimitedError at the limit.
   */
  begin(end: () => void): () => void {
    if (this.#ends.size >= waitsAtOnce) {
      throw new RateLimitedError(
        `${waitsAtOnce} requests already wait in this workspace. Await their responses first.`,
        1_000,
      );
    }
    return this.add(end);
  }

  /** Adds a wait of the process itself, which knows what it does and has no limit. Parameter and result as in `begin`. */
  add(end: () => void): () => void {
    if (this.#over) end();
    this.#ends.add(end);
    return () => void this.#ends.delete(end);
  }

  /** Ends all current and future waits. */
  end(): void {
    this.#over = true;
    for (const end of this.#ends) end();
  }
}
