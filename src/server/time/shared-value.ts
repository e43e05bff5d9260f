/** A value that changes as a whole, and that other processes may also change. */
export interface SharedValue<Value> {
  /** The value, as this process last saw it. */
  readonly now: Value;
  /** Resolves when `now` is the latest value. Undefined if it always is, because no other process changes it. */
  read(): Promise<void> | undefined;
  /**
   * Replaces the value atomically: `decide` gets the current value, and returns the next one and a result. It may be called again, with a
   * later value, so it must change nothing else. It returns the same value to keep it.
   */
  change<Result>(decide: (now: Value) => readonly [next: Value, result: Result]): Promise<Result>;
}
