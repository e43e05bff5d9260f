import type { Clock } from '../../foundation/clock.js';
import { isObject } from '../../foundation/is-object.js';
import { hasMethods } from '../../foundation/options.js';
import type { JsonValue } from '../model/fault.js';
import type { JournalEntry } from '../model/journal-entry.js';
import type { WorkspaceState } from '../model/records.js';
import type { StoreHealth } from '../model/store-health.js';
import type { ClockPosition } from '../time/clock.js';
import type { Store, WorkspaceStore } from './store.js';

/**
 * A store that several servers share, for the option `store` of `createReferenceServer`. `postgresStore()` of
 * `messaging-automation/postgres` creates one.
 */
export interface ServerStore {
  /** The name of this replica, in logs. */
  readonly replica: string;
  /** Releases the work of this replica, and disconnects. A server closes its store when it closes. */
  close(): Promise<void>;
}

/** Whether a value is a store. The members that a server uses are not part of the public types. */
export function isSharedStore(store: unknown): store is SharedStore {
  return isObject(store) && isObject(store.records) && hasMethods('open', 'close')(store);
}

/**
 * A store that several servers share. The servers are replicas of one service, and each can handle any request.
 *
 * A claim has a lease. The store renews it while its replica runs. When a replica stops, another one claims its work after the
 * lease. The store reports due work to one replica at a time, through `onDue`, until the work is done.
 */
export interface SharedStore extends ServerStore {
  readonly records: SharedRecords;
  /** Returns the time of the store, by a machine's clock and its difference, which the store measures while it is open. */
  timeBy(machine: Clock): Clock;
  /** Connects, and begins to call the listeners. Rejects if the store is unusable, with the reason and a remedy. */
  open(listeners: ReplicaListeners): Promise<void>;
  /** Returns the health of the store. Always resolves. */
  health(): Promise<StoreHealth>;
  /** Returns the number of occurrences of each kind since this replica started. */
  counters(): Readonly<Record<string, number>>;
}

/** The workspaces of a shared store, with their keys. */
export interface SharedRecords extends Store {
  /** Adds a workspace with its content and its keys. Changes nothing if its id or one of its keys exists. */
  addWorkspace(workspace: NewSharedWorkspace): Promise<WorkspaceAddition>;
  /** Returns the ids of all workspaces in the order of their addition. */
  listWorkspaceIds(): Promise<readonly string[]>;
  /** Returns the workspace of the key with this digest, and the mark of its settings. */
  findWorkspace(apiKeyDigest: string): Promise<FoundWorkspace | undefined>;
  /** Returns the marks of the settings of these workspaces, as far as they exist. */
  readMarks(workspaceIds: readonly string[]): Promise<readonly FoundWorkspace[]>;
  /** Whether the workspace had the key with this digest, and it was removed. */
  hasRevoked(workspaceId: string, apiKeyDigest: string): Promise<boolean>;
  workspace(workspaceId: string): SharedWorkspaceStore;
}

/**
 * One workspace's part of a shared store. It is about the workspace that `settings.read` finds first. If another replica
 * deletes that one, and creates another with the same id, then for the settings, the journal and `delete` the workspace is gone.
 */
export interface SharedWorkspaceStore extends WorkspaceStore {
  /** The number of the workspace, when `settings.read` has found it. Another one with the same id has another number. */
  readonly number: number | undefined;
  /** Deletes the workspace with all its data. Does nothing if it is gone. */
  delete(): Promise<void>;
  readonly settings: SettingsStore;
  readonly journal: JournalStore;
  readonly schedule: ScheduleStore;
  readonly admissions: AdmissionStore;
}

export interface NewSharedWorkspace extends StoredSettings {
  readonly apiKeyDigests: readonly string[];
  readonly state: WorkspaceState;
  /** The state that a reset restores, as JSON that the store does not interpret. */
  readonly initialState: JsonValue;
}

/** Whether `addWorkspace` added the workspace, and if not, why. */
export type WorkspaceAddition = 'added' | 'id_exists' | 'key_exists';

export interface FoundWorkspace {
  readonly id: string;
  readonly number: number;
  /** The mark of its settings. */
  readonly mark: string;
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
export type ChangedPart = 'settings' | 'journal' | 'workspace';

/** The settings of a workspace, as a store has them. */
export interface StoredSettings {
  readonly clock: ClockPosition;
  /** The other settings, as JSON that the store does not interpret. */
  readonly settings: JsonValue;
}

export interface MarkedSettings extends StoredSettings {
  /** Each change makes another mark, at random. So equal marks prove equal settings, also after the store went back to a backup. */
  readonly mark: string;
}

/** The settings of a workspace: one record, which changes by compare and set. */
export interface SettingsStore {
  /** Undefined if the workspace was deleted. */
  read(): Promise<MarkedSettings | undefined>;
  /**
   * Replaces the settings with this mark. Returns their new mark. Returns undefined and changes nothing if the settings have
   * another mark, or the workspace was deleted.
   */
  replace(mark: string, settings: StoredSettings): Promise<string | undefined>;
  /** Returns the `initialState` that `addWorkspace` received. Undefined if the workspace was deleted. */
  readInitialState(): Promise<JsonValue | undefined>;
}

/** An entry and its number. The first entry of a workspace has the number 1, and no number is missing. */
export type NumberedJournalEntry = readonly [number: number, entry: JournalEntry];

/** The position of the journal, and some of its entries. */
export interface JournalPage {
  /** Oldest first. */
  readonly entries: readonly NumberedJournalEntry[];
  /** The number of the latest entry. 0 before the first. */
  readonly latest: number;
  /** The number of the latest entry that was dropped or removed. 0 if there is none. */
  readonly latestGone: number;
  /** How often all entries were removed. */
  readonly clears: number;
}

/** Entries that are added together. */
export interface JournalBatch {
  /** Greater than the number of the previous batch. A repeated batch keeps its number. */
  readonly number: number;
  readonly entries: readonly JournalEntry[];
}

/** The journal of a workspace, in the order of its numbers for every replica. */
export interface JournalStore {
  /**
   * Adds the entries in their order. Resolves when every replica can read them. Does nothing if the workspace was deleted, or
   * if this batch was already added, because a caller whose response was lost repeats it.
   */
  append(batch: JournalBatch): Promise<void>;
  /** Returns the first entries after this number, up to `limit`. Returns fewer, and at least one, if they are large. */
  readAfter(number: number, limit: number): Promise<JournalPage>;
  /** Removes every entry. The numbers continue. */
  clear(): Promise<void>;
}

/** Work of a workspace that is due. */
export type DueWork =
  | { readonly kind: 'deliveries'; readonly subscriptionId: string }
  | { readonly kind: 'journey_run'; readonly runId: string }
  /** An event that is not processed. */
  | { readonly kind: 'events' }
  /** A send whose process died. */
  | { readonly kind: 'sends' };

/** `busy`: another process moves the clock. `gone`: the workspace was deleted. */
export type MoveStart = 'begun' | 'busy' | 'gone';

/** Finds the waiting work of a workspace in its records, and lets one process at a time move the clock. Times are the workspace's. */
export interface ScheduleStore {
  /** Whether the store reports work that becomes due. Otherwise the work waits by timers of the workspace's clock. */
  readonly reportsDueWork: boolean;
  /** Returns when the next unclaimed delivery or journey run is due. Undefined if none waits. */
  next(): Promise<number | undefined>;
  /** Returns the unclaimed work that is due at `now`. */
  due(now: number): Promise<readonly DueWork[]>;
  /** Whether nothing is due at `now`, and no other replica has a claim. The caller knows its own claims. */
  isIdle(now: number): Promise<boolean>;
  /**
   * Begins a move of the clock, unless another process moves it. The right to move it expires with the lease of a process that
   * stops.
   */
  beginMove(): Promise<MoveStart>;
  endMove(): Promise<void>;
}

/** A period in which requests are counted. */
export interface Period {
  /** In milliseconds since the Unix epoch, by the workspace's clock. */
  readonly startedAt: number;
  /** How many requests it has so far. */
  readonly requests: number;
}

/** Counts the requests to a workspace. */
export interface AdmissionStore {
  /** Counts a request in the current period. Begins a period with it, if the last one has lasted `length` milliseconds. */
  count(now: number, length: number): Promise<Period>;
  /** Ends the current period. */
  clear(): Promise<void>;
}
