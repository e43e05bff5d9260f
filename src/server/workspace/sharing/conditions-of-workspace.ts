import type { WorkspaceFaults } from '../../faults/workspace-faults.js';
import { defaultSpecGaps, type SpecGaps } from '../../model/spec-gaps.js';
import type { Conditions } from '../../store/condition-store.js';
import type { SteerableClock } from '../../time/clock.js';
import { settingsAsJson, settingsFromJson } from './settings-of-conditions.js';

/** The parts of a workspace that are the same in every replica, in addition to its records. */
export interface ConditionedParts {
  readonly clock: SteerableClock;
  readonly gaps: { -readonly [Name in keyof SpecGaps]: SpecGaps[Name] };
  readonly faults: WorkspaceFaults;
}

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
