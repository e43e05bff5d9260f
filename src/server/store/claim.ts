/**
 * The right to settle one record. Until the lease of a claim expires, no one else can claim the record. Only the latest claim
 * of a record can settle it, and only once. A claim whose lease has expired remains the latest until the record is claimed
 * again.
 */
export interface Claim {
  /** The id of the claimed record. */
  readonly id: string;
  /** Unique among the claims of a record, even if the state is replaced between two claims. */
  readonly token: string;
}
