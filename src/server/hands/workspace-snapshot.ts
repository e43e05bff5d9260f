import type { DeliveryRecord, WorkspaceState } from '../model/records.js';

/** A delivery whose bytes are text, to fit into JSON. */
export interface DeliverySnapshot extends Omit<DeliveryRecord, 'body'> {
  readonly body: string;
}

/** What a workspace held, as plain data. */
export interface StateSnapshot extends Omit<WorkspaceState, 'deliveries'> {
  readonly deliveries: readonly DeliverySnapshot[];
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
export interface WorkspaceSnapshot extends StateSnapshot {
  /** The form of this data. Another version of the package may have another. */
  readonly version: 1;
  /** The workspace's time when it was taken: ISO 8601, UTC. */
  readonly takenAt: string;
}
