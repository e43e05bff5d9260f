import type { Environment } from '../model/environment.js';
import { ServiceError } from '../model/service-error.js';
import type { Store } from '../store/store.js';
import { digestOfKey } from './key-digest.js';

/** The keys of a workspace. The store only has their digests. */
export class ApiKeys {
  readonly #store: Store;
  readonly #workspaceId: string;
  readonly #newId: Environment['newId'];
  /** The digests of every workspace's keys. */
  readonly #taken: Set<string>;
  readonly #own = new Set<string>();

  constructor(store: Store, workspaceId: string, newId: Environment['newId'], taken: Set<string>) {
    this.#store = store;
    this.#workspaceId = workspaceId;
    this.#newId = newId;
    this.#taken = taken;
  }

  /** The digests of the workspace's keys, including reserved ones that the store does not have yet. */
  get digests(): readonly string[] {
    return [...this.#own];
  }

  /** Reserves the key with this digest, so that no other workspace can use it, before the store has it. */
  reserve(digest: string): void {
    this.#taken.add(digest);
    this.#own.add(digest);
  }

  /** Adds the reserved keys to the store, so that they open the workspace. */
  async admitReserved(): Promise<void> {
    for (const digest of this.#own) await this.#store.addApiKey(this.#workspaceId, digest);
  }

  async issue(): Promise<string> {
    const apiKey = this.#newId('key');
    const digest = digestOfKey(apiKey);
    await this.#store.addApiKey(this.#workspaceId, digest);
    this.reserve(digest);
    return apiKey;
  }

  async rotate(apiKey: string): Promise<string> {
    await this.revoke(apiKey);
    return this.issue();
  }

  async revoke(apiKey: string): Promise<void> {
    const digest = digestOfKey(apiKey);
    if (!(await this.#store.removeApiKey(this.#workspaceId, digest))) {
      throw new ServiceError(
        'not_found',
        'The key does not belong to this workspace, or it was already revoked.',
      );
    }
    this.#free(digest);
  }

  /** Releases these keys for other workspaces. */
  release(): void {
    for (const digest of this.#own) this.#free(digest);
  }

  #free(digest: string): void {
    this.#own.delete(digest);
    this.#taken.delete(digest);
  }
}
