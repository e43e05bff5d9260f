import type { WorkspaceRecord } from '../../model/records.js';
import type { Store, WorkspaceStore } from '../store.js';
import { type MemoryStoreOptions, MemoryWorkspace } from './memory-workspace.js';

/** A store in the memory of this process. */
export class MemoryStore implements Store {
  readonly #options: MemoryStoreOptions;
  readonly #workspaces = new Map<string, MemoryWorkspace>();
  readonly #ownersOfKeys = new Map<string, string>();
  readonly #keysOfWorkspaces = new Map<string, Set<string>>();

  constructor(options: MemoryStoreOptions = {}) {
    this.#options = options;
  }

  async createWorkspace(record: WorkspaceRecord): Promise<void> {
    if (this.#workspaces.has(record.id)) throw new Error('A workspace of this store has this id already.');
    this.#workspaces.set(record.id, new MemoryWorkspace(record, this.#options));
    this.#keysOfWorkspaces.set(record.id, new Set());
    this.#options.changed?.();
  }

  async deleteWorkspace(workspaceId: string): Promise<void> {
    this.#workspaces.delete(workspaceId);
    for (const digest of this.#keysOfWorkspaces.get(workspaceId) ?? []) this.#ownersOfKeys.delete(digest);
    this.#keysOfWorkspaces.delete(workspaceId);
    this.#options.changed?.();
  }

  workspace(workspaceId: string): WorkspaceStore {
    const workspace = this.#workspaces.get(workspaceId);
    if (workspace === undefined) throw new Error('No workspace of this store has this id.');
    return workspace;
  }

  async addApiKey(workspaceId: string, digest: string): Promise<void> {
    const keys = this.#keysOfWorkspaces.get(workspaceId);
    if (keys === undefined) return;
    const owner = this.#ownersOfKeys.get(digest) ?? workspaceId;
    if (owner !== workspaceId) throw new Error('This API key opens another workspace of this store.');
    this.#ownersOfKeys.set(digest, workspaceId);
    keys.add(digest);
    this.#options.changed?.();
  }

  async removeApiKey(workspaceId: string, digest: string): Promise<boolean> {
    if (this.#keysOfWorkspaces.get(workspaceId)?.delete(digest) !== true) return false;
    this.#ownersOfKeys.delete(digest);
    this.#options.changed?.();
    return true;
  }

  async findWorkspaceId(apiKeyDigest: string): Promise<string | undefined> {
    return this.#ownersOfKeys.get(apiKeyDigest);
  }
}
