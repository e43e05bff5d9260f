import { onTestFinished } from 'vitest';
import type { WorkspaceRecord } from '../../../src/server/store/records.js';
import type { Store, WorkspaceStore } from '../../../src/server/store/store.js';

/** Makes an empty store for one test, which disposes of it where it can be. */
export type CreateStore = () => Promise<Store & Partial<AsyncDisposable>>;

/** Makes a workspace in an empty store. */
export type OpenWorkspace = (record?: Partial<WorkspaceRecord>) => Promise<WorkspaceStore>;

let workspaces = 0;

/** A record that says nothing but what it must, with an id and a key that no other has. */
export function workspaceRecord(record: Partial<WorkspaceRecord> = {}): WorkspaceRecord {
  workspaces += 1;
  return {
    id: `workspace_${workspaces}`,
    apiKeyDigests: [`digest_${workspaces}`],
    quota: 0,
    addOnCredits: 0,
    templates: [],
    segments: [],
    ...record,
  };
}

/** The same maker, whose stores end with their test. */
export function endingWithTheTest(createStore: CreateStore): CreateStore {
  return async () => {
    const store = await createStore();
    onTestFinished(async () => store[Symbol.asyncDispose]?.());
    return store;
  };
}
