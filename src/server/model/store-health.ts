/**
 * The health of a store that several servers share. `GET /health` shows all of it with a key, and `cause` without one, so it contains no
 * address and no credentials of the store.
 */
export interface StoreHealth {
  readonly state: 'ok' | 'unreachable';
  /** Why the store cannot be used, without names of the database: one line with the code and the remedy. */
  readonly cause?: { readonly code: string; readonly message: string } | undefined;
  /** How long the store took to respond. In milliseconds. */
  readonly latency?: number | undefined;
  /** The version of PostgreSQL. */
  readonly postgres?: string | undefined;
  readonly schemaVersion?: number | undefined;
  /** The number of replicas that the store saw recently, within a few leases. */
  readonly replicas?: number | undefined;
  /** How far the clock of this machine is ahead of that of the store. In milliseconds. */
  readonly clockAhead?: number | undefined;
  /** The connections of this replica, and how many of its requests wait for one. */
  readonly pool: { readonly total: number; readonly idle: number; readonly waiting: number };
  /** How long a claim is valid after its last renewal. In milliseconds. */
  readonly lease: number;
  readonly replica: string;
}
