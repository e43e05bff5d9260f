/** A period in which requests are counted. */
export interface Period {
  /** In milliseconds since the Unix epoch, by the workspace's clock. */
  readonly startedAt: number;
  /** How many requests it has so far. */
  readonly requests: number;
}

/** Counts the requests to a workspace. */
export interface AdmissionStore {
  /** Counts a request in the current period. Begins a period with it, if the last one has lasted `length` milliseconds. */
  count(now: number, length: number): Promise<Period>;
  /** Ends the current period. */
  clear(): Promise<void>;
}
