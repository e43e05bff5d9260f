import { validate } from '../../contract/schema.js';
import { notRight } from '../model/not-right.js';
import type { WorkspaceState } from '../model/records.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { snapshotSchema } from './snapshot-schema.js';
import type { StateSnapshot, WorkspaceSnapshot } from './workspace-snapshot.js';

/** Takes a workspace's snapshot after all running work has ended. */
export async function snapshotOf(workspace: LiveWorkspace): Promise<WorkspaceSnapshot> {
  const state = await workspace.readState();
  return { version: 1, takenAt: new Date(workspace.clock.now()).toISOString(), ...stateAsText(state) };
}

/**
 * Restores a workspace from a snapshot.
 *
 * @throws TypeError that names each invalid field of the snapshot.
 */
export async function restoreFrom(workspace: LiveWorkspace, snapshot: WorkspaceSnapshot): Promise<void> {
  const validation = validate(snapshotSchema, snapshot);
  if (!validation.valid) throw notRight('The snapshot', validation.problems);
  const { version: _, takenAt, ...state } = validation.value;
  await workspace.restore(stateFromText(state), Date.parse(takenAt));
}

/** Converts a workspace's state to plain data, with the bytes of its deliveries as text. */
export function stateAsText(state: WorkspaceState): StateSnapshot {
  const decoder = new TextDecoder();
  return {
    ...state,
    deliveries: state.deliveries.map((delivery) => ({ ...delivery, body: decoder.decode(delivery.body) })),
  };
}

/** Converts plain data back to a workspace's state. */
export function stateFromText(state: StateSnapshot): WorkspaceState {
  const encoder = new TextEncoder();
  return {
    ...state,
    deliveries: state.deliveries.map((delivery) => ({ ...delivery, body: encoder.encode(delivery.body) })),
  };
}
