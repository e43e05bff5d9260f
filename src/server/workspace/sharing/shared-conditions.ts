import * as z from 'zod/mini';
import { type Schema, validate } from '../../../contract/schema.js';
import { type SavedFaults, savedFaultsSchema } from '../../faults/fault-schemas.js';
import type { JsonValue } from '../../model/fault.js';
import { notRight } from '../../model/service-error.js';
import { defaultSpecGaps, type SpecGaps } from '../../model/spec-gaps.js';
import { specGapsSchema } from '../../seed/spec-gaps-schema.js';
import type { ConditionStore, Conditions } from '../../store/shared-store.js';
import type { WorkspaceParts } from '../live-workspace.js';

/** The settings that the replicas of a workspace share, in addition to its records and its clock. */
export interface SharedSettings {
  readonly specGaps: Partial<SpecGaps>;
  readonly faults: SavedFaults;
}

const settingsSchema: Schema<SharedSettings> = z.strictObject({
  specGaps: specGapsSchema,
  faults: savedFaultsSchema,
});

/** Converts the settings for a store. */
export function settingsAsJson(settings: SharedSettings): JsonValue {
  return JSON.parse(JSON.stringify(settings));
}

/** @throws ConfigurationError if another version of the package wrote them. */
export function settingsFromJson(settings: JsonValue): SharedSettings {
  const validation = validate(settingsSchema, settings);
  if (validation.valid) return validation.value;
  throw notRight('The settings of the workspace in the store', validation.problems);
}

/** The parts of a workspace that are the same in every replica, in addition to its records. */
type ConditionedParts = Pick<WorkspaceParts, 'clock' | 'gaps' | 'faults'>;

/** Returns the conditions of a workspace in this process. */
export function conditionsOf({ clock, gaps, faults }: ConditionedParts): Conditions {
  return { clock: clock.position, settings: settingsAsJson({ specGaps: gaps, faults: faults.save() }) };
}

/** Applies the conditions of another replica to a workspace in this process. */
export function applyConditions({ clock, gaps, faults }: ConditionedParts, conditions: Conditions): void {
  const settings = settingsFromJson(conditions.settings);
  Object.assign(gaps, defaultSpecGaps, settings.specGaps);
  faults.goOn(settings.faults);
  clock.follow(conditions.clock);
}

/** The conditions of a workspace in this process. */
export interface OwnConditions {
  read(): Conditions;
  /** Replaces the conditions of this process. */
  apply(conditions: Conditions): void;
}

export interface SharedConditionsListeners {
  /** The workspace was deleted. */
  readonly onGone: () => void;
  /** A change failed, so the conditions of this process may differ from those of the store until the next `refresh`. */
  readonly onDoubt: () => void;
}

/** Synchronizes the conditions of this process with those of the store. */
export class SharedConditions {
  readonly #store: ConditionStore;
  readonly #own: OwnConditions;
  readonly #listeners: SharedConditionsListeners;
  /** The revision that this process has. 0: none, or it is unknown whether it has one. */
  #revision = 0;
  /** The latest step, which reads or changes. Steps run one after the other, because each leaves a revision in this process. */
  #latest: Promise<unknown> = Promise.resolve();

  constructor(store: ConditionStore, own: OwnConditions, listeners: SharedConditionsListeners) {
    this.#store = store;
    this.#own = own;
    this.#listeners = listeners;
  }

  /** Applies the changes of other replicas. */
  refresh(): Promise<void> {
    return this.#inTurn(() => this.#refresh());
  }

  /** Whether this process has this revision. */
  has(revision: number): boolean {
    return revision <= this.#revision;
  }

  /** Changes the conditions of every replica. `change` changes those of this process, and can run more than once. */
  change(change: () => void): Promise<void> {
    return this.#inTurn(() => this.#change(change));
  }

  #inTurn<Result>(step: () => Promise<Result>): Promise<Result> {
    const turn = this.#latest.then(step);
    this.#latest = turn.catch(() => {});
    return turn;
  }

  async #refresh(): Promise<void> {
    const latest = await this.#store.read();
    if (latest === undefined) return this.#listeners.onGone();
    if (latest.revision <= this.#revision) return;
    this.#own.apply(latest);
    this.#revision = latest.revision;
  }

  async #change(change: () => void): Promise<void> {
    try {
      const changed = await this.#store.change((now) => {
        this.#own.apply(now);
        change();
        return this.#own.read();
      });
      if (changed === undefined) this.#listeners.onGone();
      else this.#revision = Math.max(this.#revision, changed.revision);
    } catch (error) {
      // This process has made the change, and the store has not, or its answer was lost.
      this.#revision = 0;
      this.#listeners.onDoubt();
      throw error;
    }
  }
}
