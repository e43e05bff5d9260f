import { validate } from '../../contract/schema.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { snapshotSchema } from './snapshot-schema.js';
import type { WorkspaceSnapshot } from './workspace-snapshot.js';

/** Takes a workspace's snapshot, once what is under way has ended. */
export async function snapshotOf(workspace: LiveWorkspace): Promise<WorkspaceSnapshot> {
  const state = await workspace.readState();
  const decoder = new TextDecoder();
  return {
    version: 1,
    takenAt: new Date(workspace.clock.now()).toISOString(),
    ...state,
    deliveries: state.deliveries.map((delivery) => ({ ...delivery, body: decoder.decode(delivery.body) })),
  };
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
  const { version: _, takenAt, deliveries, ...state } = validation.value;
  const encoder = new TextEncoder();
  await workspace.restore(
    {
      ...state,
      deliveries: deliveries.map((delivery) => ({ ...delivery, body: encoder.encode(delivery.body) })),
    },
    Date.parse(takenAt),
  );
}
