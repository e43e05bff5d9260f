import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import { faultRuleSchema } from '../faults/rule-schema.js';
import { instant } from '../seed/fields.js';
import { specGapsSchema } from '../seed/spec-gaps-schema.js';
import type { WorkspaceSettings } from './saved-workspace.js';
import { stateFields } from './state-schema.js';
import type { StateSnapshot } from './state-text.js';

/** What a reset of a workspace restores, as plain data. */
export interface Beginning {
  readonly settings: WorkspaceSettings;
  readonly state: StateSnapshot;
}

const settings: Schema<WorkspaceSettings> = z.strictObject({
  clock: z.optional(z.enum(['flowing', 'frozen'])),
  now: z.optional(instant),
  deliveryTimestamps: z.optional(z.enum(['workspace', 'machine'])),
  specGaps: z.optional(specGapsSchema),
  faults: z.optional(z.array(faultRuleSchema)),
  randomSeed: z.optional(z.int32('must be a whole number of 32 bits')),
});

/** A beginning as read from a file or a store. */
export const beginningSchema: Schema<Beginning> = z.strictObject({
  settings,
  state: z.strictObject(stateFields),
});
