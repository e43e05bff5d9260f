/** The kinds of occurrences that a replica counts. */
const none = {
  /** Jobs that reported due work. */
  jobs: 0,
  /** Sweeps by this replica. */
  sweeps: 0,
  /** Due work for which a sweep added a job: the deliveries of a subscription count as one. */
  sweptWork: 0,
  /** Expired claims that a sweep found: their replica stopped or paused. */
  expiredClaims: 0,
  /** Received notices of changes, including this replica's own. */
  notices: 0,
  /** Reconnections of the connection that listens for notices. */
  reconnects: 0,
  /** Records that were deleted to make room. */
  forgottenRecords: 0,
  /** Rows that could not be read and were moved to the table `set_aside`. */
  setAside: 0,
};

export class Counters {
  readonly #counts = { ...none };

  add(counted: keyof typeof none, count = 1): void {
    this.#counts[counted] += count;
  }

  read(): Readonly<Record<string, number>> {
    return { ...this.#counts };
  }
}
