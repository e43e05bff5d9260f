import type { JsonValue } from '../model/json-value.js';
import type { ClockPosition } from '../time/clock.js';

/** The clock and the settings of a workspace, which its replicas share in addition to its records. */
export interface Conditions {
  readonly clock: ClockPosition;
  /** `specGaps` and faults, as JSON that the store does not interpret. */
  readonly settings: JsonValue;
}

/** Conditions, and how often they were changed. */
export interface RevisedConditions extends Conditions {
  readonly revision: number;
}

/** `busy`: another replica moves the clock. `gone`: the workspace was deleted. */
export type MoveBeginning = 'begun' | 'busy' | 'gone';

/** The conditions of a workspace. */
export interface ConditionStore {
  /** Undefined if the workspace was deleted. */
  read(): Promise<RevisedConditions | undefined>;
  /**
   * Changes the conditions atomically: `decide` gets the current ones and returns the new ones. The store may call it again to
   * repeat its transaction. Undefined if the workspace was deleted.
   */
  change(decide: (now: Conditions) => Conditions): Promise<RevisedConditions | undefined>;
  /** Returns the `beginning` that `addWorkspace` received. Undefined if the workspace was deleted. */
  readBeginning(): Promise<JsonValue | undefined>;
  /**
   * Begins a move of the clock, unless another replica moves it. The right to move it expires with the lease of a replica that
   * stops.
   */
  beginMove(): Promise<MoveBeginning>;
  endMove(): Promise<void>;
}
