import type { StateSnapshot } from '../hands/workspace-snapshot.js';
import type { DeliveryTimestamps } from '../model/environment.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import type { SavedWorkspace, WorkspaceSettings } from '../workspace/saved-workspace.js';

/** One workspace of a server's state: what it holds, its time, its faults, and what it does otherwise. */
export interface WorkspaceInState extends Omit<SavedWorkspace, 'state' | 'beginning'>, StateSnapshot {
  /** What a reset puts it back to. */
  readonly beginning: { readonly settings: WorkspaceSettings; readonly state: StateSnapshot };
}

/**
 * All that it takes to have a reference server go on where it was: what `serve --state` keeps in its file. It holds signing
 * secrets and phone numbers, but of API keys only their SHA-256 digests, and no journal. Keep it as you keep those.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type ServerState } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ clock: 'frozen', apiKey: 'test_key' });
 * await server.client.contacts.upsert({ phone: '+15551234567' });
 * const state: ServerState = await server.state();
 *
 * await using again = createReferenceServer({ state: JSON.parse(JSON.stringify(state)), apiKey: 'test_key' });
 * console.log(again.clock.now() === server.clock.now()); // true
 * console.log((await again.client.contacts.find('+15551234567'))?.properties.phone); // +15551234567
 * ```
 */
export interface ServerState {
  /** The form of this data. Another version of the package may have another. */
  readonly version: 1;
  /** The digest of the key that the server was given, or made up. */
  readonly apiKeyDigest: string;
  /** How a workspace is that is made beside the first. */
  readonly defaults: {
    readonly clock?: 'flowing' | 'frozen' | undefined;
    readonly deliveryTimestamps?: DeliveryTimestamps | undefined;
    readonly specGaps?: Partial<SpecGaps> | undefined;
  };
  /** The first is the server's own. */
  readonly workspaces: readonly [WorkspaceInState, ...WorkspaceInState[]];
}
