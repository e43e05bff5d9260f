import { MemoryWorkspace } from './memory-workspace.js';
import type { WorkspaceRecord } from './records.js';
import type { Store, WorkspaceStore } from './store.js';

/** Keeps everything in this process, for as long as it runs. */
export class MemoryStore implements Store {
  readonly #byKeyDigest = new Map<string, WorkspaceStore>();

  async createWorkspace(record: WorkspaceRecord): Promise<WorkspaceStore> {
    const workspace = new MemoryWorkspace(record);
    for (const digest of record.apiKeyDigests) this.#byKeyDigest.set(digest, workspace);
    return workspace;
  }

  async findWorkspace(apiKeyDigest: string): Promise<WorkspaceStore | undefined> {
    return this.#byKeyDigest.get(apiKeyDigest);
  }
}
