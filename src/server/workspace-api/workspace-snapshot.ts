import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import { type StateSnapshot, stateFields } from '../workspace/state-schema.js';

/**
 * The state of a workspace at one time, as plain data. It contains signing secrets and phone numbers, so store it safely.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type WorkspaceSnapshot } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * await server.client.contacts.upsert({ phone: '+15551234567' });
 * const snapshot: WorkspaceSnapshot = await server.snapshot();
 *
 * const copy = server.workspace();
 * await copy.restore(JSON.parse(JSON.stringify(snapshot)));
 * console.log((await copy.client.contacts.find('+15551234567'))?.properties.phone); // +15551234567
 * ```
 */
export interface WorkspaceSnapshot extends StateSnapshot {
  /** The version of this format. Another version of the package may use another format. */
  readonly version: 1;
  /** The workspace's time when the snapshot was taken: ISO 8601, UTC. */
  readonly takenAt: string;
}

/** A snapshot as read from a file. */
export const snapshotSchema: Schema<WorkspaceSnapshot> = z.strictObject({
  version: z.literal(1),
  takenAt: z.string().check(z.iso.datetime('must be an ISO 8601 time in UTC')),
  ...stateFields,
});
