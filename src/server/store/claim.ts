/**
 * The right to settle one record. While the lease of a claim runs, nobody else can claim the record. When the lease has
 * run out, anybody can. Only the latest claim of a record settles it, and only once. A claim whose lease has run out
 * remains the latest until somebody else claims the record.
 */
export interface Claim {
  /** The id of the claimed record. */
  readonly id: string;
  /** No two claims of a record have the same, not even where the state was replaced between them. */
  readonly token: string;
}
