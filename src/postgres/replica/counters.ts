/** What a replica counts. */
export type Counted =
  /** Jobs that said that something is due. */
  | 'jobs'
  /** Sweeps that this replica made for all. */
  | 'sweeps'
  /** Due rows that a sweep found. */
  | 'sweptRows'
  /** Claims that a sweep found whose lease had run out: whoever had them died, or stood still. */
  | 'expiredClaims'
  /** Changes that replicas were told of, this one's own too. */
  | 'notices'
  /** Times that the connection that listens was lost and came back. */
  | 'reconnects'
  /** Records that were deleted to make room. */
  | 'forgottenRecords';

export class Counters {
  readonly #counts: Record<Counted, number> = {
    jobs: 0,
    sweeps: 0,
    sweptRows: 0,
    expiredClaims: 0,
    notices: 0,
    reconnects: 0,
    forgottenRecords: 0,
  };

  add(counted: Counted, count = 1): void {
    this.#counts[counted] += count;
  }

  read(): Readonly<Record<string, number>> {
    return { ...this.#counts };
  }
}
