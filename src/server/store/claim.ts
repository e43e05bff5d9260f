/**
 * The right to settle one record. Whoever claims a record holds it for as long as the store's lease; nobody else can
 * claim it meanwhile. After that somebody else may claim it, with a token of their own. Only the latest claim of a
 * record settles it, and only once.
 */
export interface Claim {
  /** The id of the claimed record. */
  readonly id: string;
  readonly token: string;
}
