import { validate } from '../../contract/schema.js';
import type { WorkspaceState } from '../model/records.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { snapshotSchema } from './snapshot-schema.js';
import type { StateSnapshot, WorkspaceSnapshot } from './workspace-snapshot.js';

/** Takes a workspace's snapshot, once what is under way has ended. */
export async function snapshotOf(workspace: LiveWorkspace): Promise<WorkspaceSnapshot> {
  const state = await workspace.readState();
  return { version: 1, takenAt: new Date(workspace.clock.now()).toISOString(), ...stateAsText(state) };
}

/**
 * Puts a workspace back to what a snapshot holds.
 *
 * @throws TypeError where that is no snapshot; it names every field that is wrong.
 */
export async function restoreFrom(workspace: LiveWorkspace, snapshot: WorkspaceSnapshot): Promise<void> {
  const validation = validate(snapshotSchema, snapshot);
  if (!validation.valid) {
    const problems = validation.problems.map(({ field, message }) => `${field || 'the whole'} ${message}`);
    throw new TypeError(['The snapshot is not right:', ...problems].join('\n  '));
  }
  const { version: _, takenAt, ...state } = validation.value;
  await workspace.restore(stateFromText(state), Date.parse(takenAt));
}

/** What a workspace holds, with the bytes of its deliveries as text. */
export function stateAsText(state: WorkspaceState): StateSnapshot {
  const decoder = new TextDecoder();
  return {
    ...state,
    deliveries: state.deliveries.map((delivery) => ({ ...delivery, body: decoder.decode(delivery.body) })),
  };
}

/** The same, with their bytes. */
export function stateFromText(state: StateSnapshot): WorkspaceState {
  const encoder = new TextEncoder();
  return {
    ...state,
    deliveries: state.deliveries.map((delivery) => ({ ...delivery, body: encoder.encode(delivery.body) })),
  };
}
