import type { JsonValue } from '../model/json-value.js';
import type { ClockPosition } from '../time/clock.js';

/** What the replicas of a workspace share beside its records. */
export interface Conditions {
  readonly clock: ClockPosition;
  /** Everything else, as JSON that the store does not read: `specGaps` and faults. */
  readonly settings: JsonValue;
}

/** Conditions, and how often they were changed. */
export interface RevisedConditions extends Conditions {
  readonly revision: number;
}

/** The conditions of a workspace. */
export interface ConditionStore {
  /** Undefined if the workspace was deleted. */
  read(): Promise<RevisedConditions | undefined>;
  /**
   * Changes the conditions. No other change, of any replica, happens between what `decide` is given and what it returns. The
   * store may call it again to repeat its transaction. Undefined if the workspace was deleted.
   */
  change(decide: (now: Conditions) => Conditions): Promise<RevisedConditions | undefined>;
  /** What `addWorkspace` was given as the beginning. Undefined if the workspace was deleted. */
  readBeginning(): Promise<JsonValue | undefined>;
  /**
   * Begins a move of the clock, which one replica makes at a time. False while another replica moves it. A replica that dies
   * stops moving it after its lease.
   */
  beginMove(): Promise<boolean>;
  endMove(): Promise<void>;
}
