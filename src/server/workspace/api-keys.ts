import { sha256 } from '../../webhooks/crypto/digests.js';
import type { Environment } from '../model/environment.js';
import { ServiceError } from '../model/service-error.js';
import type { Store } from '../store/store.js';

export type ApiKeys = ReturnType<typeof createApiKeys>;

/**
 * Keeps the keys of a workspace. The store only has their digests.
 *
 * @param taken - The digests of every workspace's keys. Undefined if only the store knows them.
 */
export function createApiKeys(
  store: Store,
  workspaceId: string,
  newId: Environment['newId'],
  taken: Set<string> | undefined,
) {
  /** The digests of the keys that this process knows, including reserved ones that the store does not have yet. */
  const own = new Set<string>();

  /** Reserves the key with this digest, so that no other workspace can use it, before the store has it. */
  function reserve(digest: string): void {
    taken?.add(digest);
    own.add(digest);
  }

  /** Adds the reserved keys to the store, so that they open the workspace. */
  async function admitReserved(): Promise<void> {
    for (const digest of own) await store.addApiKey(workspaceId, digest);
  }

  async function issue(): Promise<string> {
    const apiKey = newId('key');
    const digest = digestOfKey(apiKey);
    await store.addApiKey(workspaceId, digest);
    if (taken !== undefined) reserve(digest);
    return apiKey;
  }

  /** Issues the new key first, because the store may become unreachable before the second step. */
  async function rotate(apiKey: string): Promise<string> {
    const successor = await issue();
    try {
      await revoke(apiKey);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') await revoke(successor);
      throw error;
    }
    return successor;
  }

  async function revoke(apiKey: string): Promise<void> {
    const digest = digestOfKey(apiKey);
    if (!(await store.removeApiKey(workspaceId, digest))) {
      throw new ServiceError(
        'not_found',
        'The key does not belong to this workspace, or it was already revoked.',
      );
    }
    free(digest);
  }

  /** Releases these keys for other workspaces. */
  function release(): void {
    for (const digest of own) free(digest);
  }

  function free(digest: string): void {
    own.delete(digest);
    taken?.delete(digest);
  }

  return { digests: () => [...own], reserve, admitReserved, issue, rotate, revoke, release };
}

/**
 * The SHA-256 of an API key in hex, which the store has instead of the key. The time of a lookup by digest does not
 * depend on how much of a key is right.
 */
export function digestOfKey(apiKey: string): string {
  return sha256(apiKey);
}
