import { atMost } from '../../foundation/clock.js';
import { StoreBusyError } from '../../server/model/service-error.js';
import { machineClock } from '../../server/time/machine-clock.js';

interface Share {
  running: number;
  readonly waiting: Set<() => void>;
}

/**
 * Limits how many connections one workspace uses at once. Its statements can wait for a lock for long, such as that of
 * `replaceState`, and must leave connections to the other workspaces.
 */
export class Shares {
  readonly #most: number;
  readonly #longestWait: number;
  /** The workspaces with work that runs. */
  readonly #shares = new Map<string, Share>();

  /** @param longestWait - In milliseconds. */
  constructor(most: number, longestWait: number) {
    this.#most = most;
    this.#longestWait = longestWait;
  }

  /**
   * Runs work of a workspace when fewer than the most run. The work must not run other work of the workspace through this method.
   *
   * @throws StoreBusyError if the work could not begin in time.
   */
  async run<Result>(workspaceId: string, work: () => Promise<Result>): Promise<Result> {
    const share = this.#shares.get(workspaceId) ?? { running: 0, waiting: new Set() };
    this.#shares.set(workspaceId, share);
    if (share.running < this.#most) share.running += 1;
    else await this.#wait(share);
    try {
      return await work();
    } finally {
      const [next] = share.waiting;
      if (next === undefined) share.running -= 1;
      else next();
      if (share.running === 0) this.#shares.delete(workspaceId);
    }
  }

  /** Resolves when work has ended and leaves its place. */
  async #wait({ waiting }: Share): Promise<void> {
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = () => {
        waiting.delete(begin);
        resolve();
      };
      waiting.add(begin);
    });
    await atMost(machineClock, this.#longestWait, begun, () => {});
    if (waiting.delete(begin)) throw new StoreBusyError();
  }
}
