import { sha256 } from '../../webhooks/crypto/digests.js';
import type { Environment } from '../model/environment.js';
import { ServiceError } from '../model/service-error.js';
import type { Store } from '../store/store.js';

/** The keys of a workspace. The store only has their digests. */
export class ApiKeys {
  readonly #store: Store;
  readonly #workspaceId: string;
  readonly #newId: Environment['newId'];
  readonly #taken: Set<string> | undefined;
  /** The digests of the keys that this process knows, including reserved ones that the store does not have yet. */
  readonly #own = new Set<string>();

  /** @param taken - The digests of every workspace's keys. Undefined if only the store knows them. */
  constructor(
    store: Store,
    workspaceId: string,
    newId: Environment['newId'],
    taken: Set<string> | undefined,
  ) {
    this.#store = store;
    this.#workspaceId = workspaceId;
    this.#newId = newId;
    this.#taken = taken;
  }

  get digests(): readonly string[] {
    return [...this.#own];
  }

  /** Reserves the key with this digest, so that no other workspace can use it, before the store has it. */
  reserve(digest: string): void {
    this.#taken?.add(digest);
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
    if (this.#taken !== undefined) this.reserve(digest);
    return apiKey;
  }

  /** Issues the new key first, because the store may become unreachable before the second step. */
  async rotate(apiKey: string): Promise<string> {
    const successor = await this.issue();
    try {
      await this.revoke(apiKey);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') await this.revoke(successor);
      throw error;
    }
    return successor;
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
    this.#taken?.delete(digest);
  }
}

/**
 * The SHA-256 of an API key in hex, which the store has instead of the key. The time of a lookup by digest does not
 * depend on how much of a key is right.
 */
export function digestOfKey(apiKey: string): string {
  return sha256(apiKey);
}
