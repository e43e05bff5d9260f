/** Work of a workspace that is due. */
export type DueWork =
  | { readonly kind: 'deliveries'; readonly subscriptionId: string }
  | { readonly kind: 'journey_run'; readonly runId: string }
  /** An event that is not processed. */
  | { readonly kind: 'events' }
  /** A send whose process died. */
  | { readonly kind: 'sends' };

/** Finds the waiting work of a workspace in its records. Times are the workspace's. */
export interface ScheduleStore {
  /** Returns when the next unclaimed delivery or journey run is due. Undefined if none waits. */
  next(): Promise<number | undefined>;
  /** Returns the unclaimed work that is due at `now`. */
  due(now: number): Promise<readonly DueWork[]>;
  /** Whether nothing is due at `now`, and no other replica has a claim. The caller knows its own claims. */
  isIdle(now: number): Promise<boolean>;
}
