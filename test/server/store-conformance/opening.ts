import type { WorkspaceRecord } from '../../../src/server/model/records.js';
import type { Store, WorkspaceStore } from '../../../src/server/store/store.js';

/** Makes an empty store, which is disposed of where it can be. */
export type CreateStore = () => Promise<Store & Partial<AsyncDisposable>>;

/** What a check begins with. */
export interface Opening {
  /** An empty store. */
  readonly store: Store;
  /** Makes a workspace in it. */
  readonly open: (record?: Partial<WorkspaceRecord>) => Promise<WorkspaceStore>;
}

/** The promises about one subject: each has a name, and a check that throws where a store does not keep it. */
export type Promises = Readonly<Record<string, (opening: Opening) => Promise<void>>>;

let workspaces = 0;

/** A record that says nothing but what it must, with an id that no other has. */
export function workspaceRecord(record: Partial<WorkspaceRecord> = {}): WorkspaceRecord {
  workspaces += 1;
  return {
    id: `workspace_${workspaces}`,
    quota: 0,
    addOnCredits: 0,
    templates: [],
    segments: [],
    journeys: [],
    ...record,
  };
}

/** Opens a store for one check. */
export function openingOf(store: Store): Opening {
  return {
    store,
    async open(record) {
      const workspace = workspaceRecord(record);
      await store.createWorkspace(workspace);
      return store.workspace(workspace.id);
    },
  };
}

/** Runs as many as told at once. */
export function atOnce<T>(count: number, run: (index: number) => Promise<T>): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}
