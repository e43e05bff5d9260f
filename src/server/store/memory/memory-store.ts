import type { WorkspaceRecord } from '../../model/records.js';
import type { Store, WorkspaceStore } from '../store.js';
import { endlessLease, type Lease } from './claims.js';
import { MemoryWorkspace } from './memory-workspace.js';

/** A store in the memory of this process. */
export class MemoryStore implements Store {
  readonly #lease: Lease;
  readonly #workspaces = new Map<string, MemoryWorkspace>();
  readonly #ownersOfKeys = new Map<string, string>();
  readonly #keysOfWorkspaces = new Map<string, Set<string>>();

  /** @param lease - How long a claim is valid. Default: until it is settled. */
  constructor(lease: Lease = endlessLease) {
    this.#lease = lease;
  }

  async createWorkspace(record: WorkspaceRecord): Promise<void> {
    if (this.#workspaces.has(record.id)) throw new Error('A workspace of this store has this id already.');
    this.#workspaces.set(record.id, new MemoryWorkspace(record, this.#lease));
    this.#keysOfWorkspaces.set(record.id, new Set());
  }

  async deleteWorkspace(workspaceId: string): Promise<void> {
    this.#workspaces.delete(workspaceId);
    for (const digest of this.#keysOfWorkspaces.get(workspaceId) ?? []) this.#ownersOfKeys.delete(digest);
    this.#keysOfWorkspaces.delete(workspaceId);
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
  }

  async removeApiKey(workspaceId: string, digest: string): Promise<boolean> {
    if (this.#keysOfWorkspaces.get(workspaceId)?.delete(digest) !== true) return false;
    return this.#ownersOfKeys.delete(digest);
  }

  async findWorkspaceId(apiKeyDigest: string): Promise<string | undefined> {
    return this.#ownersOfKeys.get(apiKeyDigest);
  }
}
