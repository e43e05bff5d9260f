import type { Clock } from '../../foundation/clock.js';
import type { JsonValue } from '../model/json-value.js';
import type { WorkspaceState } from '../model/records.js';
import type { StoreHealth } from '../model/store-health.js';
import type { AdmissionStore } from './admission-store.js';
import type { ConditionStore, Conditions } from './condition-store.js';
import type { JournalStore } from './journal-store.js';
import type { DueWork, ScheduleStore } from './schedule-store.js';
import type { Store, WorkspaceStore } from './store.js';

/**
 * A store that several servers share. The servers are replicas of one service, and each can handle any request.
 *
 * A claim has a lease. The store renews it while its replica runs. When a replica stops, another one claims its work after the
 * lease. The store reports due work to one replica at a time, through `onDue`, until the work is done.
 */
export interface SharedStore extends Store {
  /** The name of this replica. */
  readonly replica: string;
  /** Returns the time of the store, by a machine's clock and its difference, which the store measures while it is open. */
  timeBy(machine: Clock): Clock;
  /** Connects, and begins to call the listeners. Rejects if the store is unusable, with the reason and a remedy. */
  open(listeners: ReplicaListeners): Promise<void>;
  /** Releases the claims of this replica, stops calling the listeners, and disconnects. */
  close(): Promise<void>;
  /** Adds a workspace with its content and its keys. Changes nothing if its id or one of its keys exists. */
  addWorkspace(workspace: NewSharedWorkspace): Promise<WorkspaceAddition>;
  /** Returns the ids of all workspaces in the order of their addition. */
  listWorkspaceIds(): Promise<readonly string[]>;
  /** Returns the workspace of the key with this digest, and the revision of its conditions. */
  findWorkspace(apiKeyDigest: string): Promise<FoundWorkspace | undefined>;
  /** Whether the workspace had the key with this digest, and it was removed. */
  hasRevoked(workspaceId: string, apiKeyDigest: string): Promise<boolean>;
  workspace(workspaceId: string): SharedWorkspaceStore;
  /** Returns the health of the store. Always resolves. */
  health(): Promise<StoreHealth>;
  /** Returns the number of occurrences of each kind since this replica started. */
  counters(): Readonly<Record<string, number>>;
}

/**
 * One workspace's part of a shared store. It is about the workspace that `conditions.read` finds first. If another replica
 * deletes that one, and creates another with the same id, then for the conditions, the journal and `delete` the workspace is gone.
 */
export interface SharedWorkspaceStore extends WorkspaceStore {
  /** The number of the workspace, when `conditions.read` has found it. Another one with the same id has another number. */
  readonly number: number | undefined;
  /** Deletes the workspace with all its data. Does nothing if it is gone. */
  delete(): Promise<void>;
  readonly conditions: ConditionStore;
  readonly journal: JournalStore;
  readonly schedule: ScheduleStore;
  readonly admissions: AdmissionStore;
}

export interface NewSharedWorkspace extends Conditions {
  readonly apiKeyDigests: readonly string[];
  readonly state: WorkspaceState;
  /** The state that a reset restores, as JSON that the store does not interpret. */
  readonly beginning: JsonValue;
}

/** Whether `addWorkspace` added the workspace, and if not, why. */
export type WorkspaceAddition = 'added' | 'id_exists' | 'key_exists';

export interface FoundWorkspace {
  readonly id: string;
  readonly number: number;
  readonly revision: number;
}

/** Functions of a replica that the store calls. They return at once, and never throw. */
export interface ReplicaListeners {
  /** Starts due work. The store calls it again until the work is done, so a replica can ignore a call. */
  readonly onDue: (workspaceId: string, work: DueWork) => void;
  /** Something changed, on this replica or another. */
  readonly onChange: (workspaceId: string, changed: ChangedPart) => void;
  /** The store is reachable again: everything may have changed. */
  readonly onReturn: () => void;
  /** The store had an error in the background, and continues. */
  readonly onFailure: (error: unknown) => void;
}

/** `workspace`: it was deleted. */
export type ChangedPart = 'conditions' | 'journal' | 'workspace';
