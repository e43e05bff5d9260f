import { validate } from '../../contract/schema.js';
import type { DeliveryRecord, WorkspaceState } from '../store/records.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { snapshotSchema } from './snapshot-schema.js';

/** A delivery whose bytes are text, to fit into JSON. */
export interface DeliverySnapshot extends Omit<DeliveryRecord, 'body'> {
  readonly body: string;
}

/**
 * All that a workspace held at a time, as plain data. It holds signing secrets and phone numbers: keep it as you keep
 * those.
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
export interface WorkspaceSnapshot extends Omit<WorkspaceState, 'deliveries'> {
  /** The form of this data. Another version of the package may have another. */
  readonly version: 1;
  /** The workspace's time when it was taken: ISO 8601, UTC. */
  readonly takenAt: string;
  readonly deliveries: readonly DeliverySnapshot[];
}

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
