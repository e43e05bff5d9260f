import type { Environment } from '../environment.js';
import type { Store } from '../store/store.js';
import { digestOfKey } from './key-digest.js';

/**
 * The keys that open a workspace. The service's document does not show how keys are issued, rotated or revoked (§5); a
 * test does it here.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const second = await server.keys.issue();
 * const third = await server.keys.rotate(second); // `second` is refused from now on
 * await server.keys.revoke(third);
 * ```
 */
export interface WorkspaceKeys {
  /** Makes one more key. It is shown here and nowhere else. */
  issue(): Promise<string>;
  /**
   * Makes a key in the place of one, which is refused from then on.
   *
   * @throws Error where the key is not one of this workspace's.
   */
  rotate(apiKey: string): Promise<string>;
  /**
   * Has a key refused from now on. The last one may be revoked too.
   *
   * @throws Error where the key is not one of this workspace's.
   */
  revoke(apiKey: string): Promise<void>;
}

/** A workspace's keys, in the store by their digests. */
export class ApiKeys implements WorkspaceKeys {
  readonly #store: Store;
  readonly #workspaceId: string;
  readonly #newId: Environment['newId'];

  constructor(store: Store, workspaceId: string, newId: Environment['newId']) {
    this.#store = store;
    this.#workspaceId = workspaceId;
    this.#newId = newId;
  }

  /** Lets a key that exists already open the workspace. */
  async admit(apiKey: string): Promise<void> {
    await this.#store.addApiKey(this.#workspaceId, digestOfKey(apiKey));
  }

  async issue(): Promise<string> {
    const apiKey = this.#newId('key');
    await this.admit(apiKey);
    return apiKey;
  }

  async rotate(apiKey: string): Promise<string> {
    await this.revoke(apiKey);
    return this.issue();
  }

  async revoke(apiKey: string): Promise<void> {
    if (await this.#store.removeApiKey(this.#workspaceId, digestOfKey(apiKey))) return;
    throw new Error('This is no key of this workspace, or it was revoked already.');
  }
}
