import * as z from 'zod/mini';
import { type Schema, validate } from '../../../contract/schema.js';
import { type SavedFaults, savedFaultsSchema } from '../../faults/saved-faults.js';
import type { JsonValue } from '../../model/json-value.js';
import { notRight } from '../../model/not-right.js';
import { defaultSpecGaps, type SpecGaps } from '../../model/spec-gaps.js';
import { specGapsSchema } from '../../seed/spec-gaps-schema.js';
import type { Conditions } from '../../store/condition-store.js';
import type { WorkspaceParts } from '../workspace-parts.js';

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
