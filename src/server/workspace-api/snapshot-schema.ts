import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import { stateFields } from '../workspace/state-schema.js';
import type { WorkspaceSnapshot } from './workspace-snapshot.js';

/** A snapshot as read from a file. */
export const snapshotSchema: Schema<WorkspaceSnapshot> = z.strictObject({
  version: z.literal(1),
  takenAt: z.string().check(z.iso.datetime('must be an ISO 8601 time in UTC')),
  ...stateFields,
});
