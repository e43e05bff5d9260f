import { allOf, type Page, type PageRange } from '../../../src/server/model/page.js';
import type { WorkspaceRecord } from '../../../src/server/model/records.js';
import type { Claim, Store, WorkspaceStore } from '../../../src/server/store/store.js';

/** An empty store for one check. */
export interface StoreAtHand {
  readonly store: Store;
  /** Lets every lease of now run out. */
  readonly endLeases: () => Promise<void>;
}

export type CreateStore = () => Promise<StoreAtHand>;

/** What a check begins with. */
export interface Opening {
  /** An empty store. */
  readonly store: Store;
  /** Makes a workspace in it. */
  readonly open: (record?: Partial<WorkspaceRecord>) => Promise<WorkspaceStore>;
  /** Lets every lease of now run out, as if whoever holds a claim had died. */
  readonly endLeases: () => Promise<void>;
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
export function openingOf({ store, endLeases }: StoreAtHand): Opening {
  return {
    store,
    endLeases,
    async open(record) {
      const workspace = workspaceRecord(record);
      await store.createWorkspace(workspace);
      return store.workspace(workspace.id);
    },
  };
}

/** What was claimed. Fails where there was nothing to claim. */
export function claimOf<T>(claimed: T | undefined): T {
  if (claimed === undefined) throw new Error('There was nothing to claim.');
  return claimed;
}

/** A claim that nobody was given. */
export const unknownClaim = (id: string): Claim => ({ id, token: 'unheard_of' });

/** Runs as many as told at once. */
export function atOnce<T>(count: number, run: (index: number) => Promise<T>): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}

/** All records of a part of a store, in its order. */
export function listed<Kept>(part: {
  page(fields: Record<never, never>, range: PageRange): Promise<Page<Kept>>;
}): Promise<readonly Kept[]> {
  return allOf((range) => part.page({}, range));
}
