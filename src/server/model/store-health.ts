/** What a store that several servers share tells of itself. It holds nothing of how the store is reached. */
export interface StoreHealth {
  readonly state: 'ok' | 'unreachable';
  /** How long the store took to answer. In milliseconds. */
  readonly latency?: number | undefined;
  /** The version of PostgreSQL. */
  readonly postgres?: string | undefined;
  readonly schemaVersion?: number | undefined;
  /** How many replicas there are, as far as they were seen within the last leases. */
  readonly replicas?: number | undefined;
  /** The connections of this replica, and how many of its requests wait for one. */
  readonly pool: { readonly total: number; readonly idle: number; readonly waiting: number };
  /** How long a claim holds that its replica does not renew. In milliseconds. */
  readonly lease: number;
  readonly replica: string;
}
