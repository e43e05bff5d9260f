/** Work of a workspace that is due. */
export type DueWork =
  | { readonly kind: 'deliveries'; readonly subscriptionId: string }
  | { readonly kind: 'journey_run'; readonly runId: string }
  /** An event that is not processed. */
  | { readonly kind: 'events' }
  /** A send whose process died. */
  | { readonly kind: 'sends' };

/** What a workspace waits for, by its records. Times are the workspace's. */
export interface ScheduleStore {
  /** When the next delivery or journey run is due that nobody has claimed. Undefined if none waits. */
  next(): Promise<number | undefined>;
  /** The work that is due at `now` and that nobody has claimed, each once. */
  due(now: number): Promise<readonly DueWork[]>;
  /** Whether nothing is due at `now`, and no other replica has a claim on something. This replica knows of its own. */
  isIdle(now: number): Promise<boolean>;
}
