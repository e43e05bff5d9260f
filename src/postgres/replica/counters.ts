/** The kinds of occurrences that a replica counts. */
export type Counted =
  /** Jobs that reported due work. */
  | 'jobs'
  /** Sweeps by this replica. */
  | 'sweeps'
  /** Due work for which a sweep added a job: the deliveries of a subscription count as one. */
  | 'sweptWork'
  /** Expired claims that a sweep found: their replica stopped or paused. */
  | 'expiredClaims'
  /** Received notices of changes, including this replica's own. */
  | 'notices'
  /** Reconnections of the connection that listens for notices. */
  | 'reconnects'
  /** Records that were deleted to make room. */
  | 'forgottenRecords'
  /** Rows that could not be read and were moved to the table `set_aside`. */
  | 'setAside';

export class Counters {
  readonly #counts: Record<Counted, number> = {
    jobs: 0,
    sweeps: 0,
    sweptWork: 0,
    expiredClaims: 0,
    notices: 0,
    reconnects: 0,
    forgottenRecords: 0,
    setAside: 0,
  };

  add(counted: Counted, count = 1): void {
    this.#counts[counted] += count;
  }

  read(): Readonly<Record<string, number>> {
    return { ...this.#counts };
  }
}
