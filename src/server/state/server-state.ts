import type { DeliveryTimestamps } from '../model/environment.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import type { SavedWorkspace } from '../workspace/saved-workspace.js';
import type { Beginning, StateSnapshot } from '../workspace/state-schema.js';

/** One workspace in a server's state: its records, time, faults and switches. */
export interface WorkspaceInState extends Omit<SavedWorkspace, 'state' | 'beginning'>, StateSnapshot {
  /** The state that a reset restores. */
  readonly beginning: Beginning;
}

/**
 * The state of a reference server. Another server can resume from it. `serve --state` keeps it in a file. It contains signing
 * secrets and phone numbers, so store it safely. It contains only SHA-256 digests of API keys, and no journal.
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
  /** The version of this format. Another version of the package may use another format. */
  readonly version: 1;
  /** The digest of the server's initial key. */
  readonly apiKeyDigest: string;
  /** The defaults of further workspaces. */
  readonly defaults: {
    readonly clock?: 'flowing' | 'frozen' | undefined;
    readonly deliveryTimestamps?: DeliveryTimestamps | undefined;
    readonly specGaps?: Partial<SpecGaps> | undefined;
  };
  /** The workspaces. The first is the server's own. */
  readonly workspaces: readonly [WorkspaceInState, ...WorkspaceInState[]];
}
