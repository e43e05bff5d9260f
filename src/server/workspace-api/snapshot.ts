import { validate } from '../../contract/schema.js';
import { notRight } from '../model/not-right.js';
import { checkState } from '../workspace/check-workspace.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { readState, restore } from '../workspace/restore.js';
import { stateAsText, stateFromText } from '../workspace/state-text.js';
import { snapshotSchema } from './snapshot-schema.js';
import type { WorkspaceSnapshot } from './workspace-snapshot.js';

/** Takes a workspace's snapshot after all running work has ended. */
export async function snapshotOf(workspace: LiveWorkspace): Promise<WorkspaceSnapshot> {
  const state = await readState(workspace);
  return { version: 1, takenAt: new Date(workspace.clock.now()).toISOString(), ...stateAsText(state) };
}

/**
 * Restores a workspace from a snapshot.
 *
 * @throws ConfigurationError that names each invalid field of the snapshot.
 */
export async function restoreFrom(workspace: LiveWorkspace, snapshot: WorkspaceSnapshot): Promise<void> {
  const validation = validate(snapshotSchema, snapshot);
  if (!validation.valid) throw notRight('The snapshot', validation.problems);
  const { version: _, takenAt, ...state } = validation.value;
  checkState('The snapshot', state, workspace.context.receiverAddresses);
  await restore(workspace, stateFromText(state), Date.parse(takenAt));
}
