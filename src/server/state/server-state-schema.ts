import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import { savedFaultsSchema } from '../faults/fault-schemas.js';

import { specGapsSchema } from '../seed/spec-gaps-schema.js';
import { lastInstant } from '../time/instant.js';
import { beginningSchema, stateFields } from '../workspace/state-schema.js';
import type { ServerState, WorkspaceInState } from './server-state.js';

const digest = z
  .string()
  .check(z.regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 digest of a key: 64 digits of lower-case hex'));

const flow = z.enum(['flowing', 'frozen']);
const timestamps = z.enum(['workspace', 'machine']);

/** Up to the last instant, or as far back or ahead. */
const milliseconds = z
  .int('must be a whole number of milliseconds')
  .check(z.gte(-lastInstant, 'is too far in the past'), z.lte(lastInstant, 'is beyond the year 9899'));

const workspace: Schema<WorkspaceInState> = z.strictObject({
  apiKeyDigests: z.array(digest),
  clock: z.discriminatedUnion('flow', [
    z.strictObject({ flow: z.literal('frozen'), now: milliseconds }),
    z.strictObject({ flow: z.literal('flowing'), ahead: milliseconds }),
  ]),
  specGaps: specGapsSchema,
  faults: savedFaultsSchema,
  ...stateFields,
  beginning: beginningSchema,
});

/** A server's state from a file. The checks detect other data and damaged states, and no more. */
export const serverStateSchema: Schema<ServerState> = z.strictObject({
  version: z.literal(1),
  apiKeyDigest: digest,
  defaults: z.strictObject({
    clock: z.optional(flow),
    deliveryTimestamps: z.optional(timestamps),
    specGaps: z.optional(specGapsSchema),
  }),
  workspaces: z.tuple([workspace], workspace),
});
