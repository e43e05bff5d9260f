import type { JsonValue } from '../model/json-value.js';
import type { WorkspaceState } from '../model/records.js';
import type { StoreHealth } from '../model/store-health.js';
import type { AdmissionStore } from './admission-store.js';
import type { ConditionStore, Conditions } from './condition-store.js';
import type { JournalStore } from './journal-store.js';
import type { DueWork, ScheduleStore } from './schedule-store.js';
import type { Store, WorkspaceStore } from './store.js';

/**
 * A store that several servers share. They are the replicas of one service: each answers any request.
 *
 * A claim has a lease, which the store renews while its replica runs. The work of a replica that dies is claimed by another
 * after that. Whatever becomes due is told to one replica, by `onDue`, until somebody has done it.
 */
export interface SharedStore extends Store {
  /** The name of this replica. */
  readonly replica: string;
  /** Connects, and begins to tell. Rejects if the store cannot be used, with the reason and what to do about it. */
  open(listeners: ReplicaListeners): Promise<void>;
  /** Ends the claims of this replica, stops telling, and disconnects. The other replicas can claim its work at once. */
  close(): Promise<void>;
  /** Adds a workspace with all that it holds, and its keys. False if there is one with its id: then nothing changes. */
  addWorkspace(workspace: NewSharedWorkspace): Promise<boolean>;
  /** The ids of all workspaces, in the order in which they were added. */
  listWorkspaceIds(): Promise<readonly string[]>;
  /** The workspace that the key with this digest opens, and the revision of its conditions. */
  findWorkspace(apiKeyDigest: string): Promise<FoundWorkspace | undefined>;
  /** Whether the workspace had the key with this digest, and it was removed. */
  hasRevoked(workspaceId: string, apiKeyDigest: string): Promise<boolean>;
  workspace(workspaceId: string): SharedWorkspaceStore;
  /** Asks the store how it is. Resolves in any case. */
  health(): Promise<StoreHealth>;
  /** How often what happened since this replica started. */
  counters(): Readonly<Record<string, number>>;
}

/** One workspace's part of a shared store. */
export interface SharedWorkspaceStore extends WorkspaceStore {
  readonly conditions: ConditionStore;
  readonly journal: JournalStore;
  readonly schedule: ScheduleStore;
  readonly admissions: AdmissionStore;
}

export interface NewSharedWorkspace extends Conditions {
  readonly apiKeyDigests: readonly string[];
  readonly state: WorkspaceState;
  /** What a reset goes back to, as JSON that the store does not read. */
  readonly beginning: JsonValue;
}

export interface FoundWorkspace {
  readonly id: string;
  readonly revision: number;
}

/** Functions of a replica that the store calls. They return at once, and never throw. */
export interface ReplicaListeners {
  /** Work is due: starts it. The store tells of it again while it is not done, so a replica can ignore it. */
  readonly onDue: (workspaceId: string, work: DueWork) => void;
  /** Something changed, on this replica or another. */
  readonly onChange: (workspaceId: string, changed: ChangedPart) => void;
  /** The store was out of reach and is back: everything may have changed. */
  readonly onReturn: () => void;
  /** The store failed in the background, and goes on. */
  readonly onFailure: (error: unknown) => void;
}

/** `workspace`: it was deleted. */
export type ChangedPart = 'conditions' | 'journal' | 'workspace';
