import type { WorkspaceSeed } from '../seed/workspace-seed.js';
import { checkManagedUrls } from './check-managed-urls.js';
import { digestOfKey } from './key-digest.js';
import { LiveWorkspace, type WorkspaceDependencies } from './live-workspace.js';
import type { SavedWorkspace } from './saved-workspace.js';

/** Of how many API keys the digest is remembered. */
const digestsRemembered = 100;

/** The workspaces of a server. */
export class Workspaces {
  readonly #dependencies: WorkspaceDependencies;
  readonly #byId = new Map<string, LiveWorkspace>();
  /** The ids that there are, and the digests of the keys. */
  readonly #taken: Set<string>;
  /** Those that are still being made; a request waits for them. */
  readonly #making = new Set<Promise<void>>();
  /** The digests of keys that have opened a workspace: most requests come with the key of the one before. */
  readonly #digests = new Map<string, string>();

  constructor(dependencies: WorkspaceDependencies) {
    this.#dependencies = dependencies;
    this.#taken = dependencies.taken;
  }

  /** @throws TypeError if another workspace has the seed's id or key, or if a webhook's URL is not allowed. */
  create(seed: WorkspaceSeed): LiveWorkspace {
    checkManagedUrls(seed.managedWebhooks ?? [], this.#dependencies.receiverAddresses);
    const names = [seed.workspaceId, seed.apiKey && digestOfKey(seed.apiKey)];
    if (names.some((name) => name !== undefined && this.#taken.has(name))) {
      throw new TypeError(
        'Another workspace of this server has this id or this API key. Use others, or omit both to generate them.',
      );
    }
    return this.#keep(new LiveWorkspace(seed, this.#dependencies));
  }

  /**
   * Has a workspace go on.
   *
   * @param apiKey - One that whoever holds the workspace has; whether it opens it is for the digests to say.
   * @throws TypeError where another workspace has its id or one of its keys.
   */
  goOn(saved: SavedWorkspace, apiKey?: string): LiveWorkspace {
    const { id } = saved.state.workspace;
    if ([id, ...saved.apiKeyDigests].some((name) => this.#taken.has(name))) {
      throw new TypeError(`Two workspaces have the id ${id}, or one of the keys of that workspace.`);
    }
    const seed = { ...saved.beginning.settings, clock: saved.clock.flow, workspaceId: id, apiKey };
    return this.#keep(new LiveWorkspace(seed, this.#dependencies, saved));
  }

  #keep(workspace: LiveWorkspace): LiveWorkspace {
    this.#byId.set(workspace.id, workspace);
    const making = workspace.ready.then(() => void this.#making.delete(making));
    // A failure stays, and is told to whoever uses the server next; until then it must not end the process.
    making.catch(() => {});
    this.#making.add(making);
    return workspace;
  }

  /** Finds the workspace that a key opens. */
  async open(apiKey: string): Promise<LiveWorkspace | undefined> {
    await this.ready();
    const digest = this.#digests.get(apiKey) ?? digestOfKey(apiKey);
    const id = await this.#dependencies.store.findWorkspaceId(digest);
    if (id === undefined) return undefined;
    if (this.#digests.size >= digestsRemembered) this.#digests.clear();
    this.#digests.set(apiKey, digest);
    return this.#byId.get(id);
  }

  /** Ends a workspace. Its id and its keys are free again when it has ended. */
  async remove(workspace: LiveWorkspace): Promise<void> {
    // Ended a second time, its id may be another's.
    if (this.#byId.get(workspace.id) === workspace) this.#byId.delete(workspace.id);
    await workspace.close();
  }

  /** Ends a workspace. False where none has the id. */
  async removeById(id: string): Promise<boolean> {
    const workspace = this.#byId.get(id);
    if (workspace === undefined) return false;
    await this.remove(workspace);
    return true;
  }

  /** Resolves when each of them holds what its seed says. */
  async ready(): Promise<void> {
    if (this.#making.size > 0) await Promise.all(this.#making);
  }

  /** Resolves when all that is due in any of them has been done. */
  async settled(): Promise<void> {
    await Promise.all([...this.#byId.values()].map((workspace) => workspace.settled()));
  }

  list(): readonly LiveWorkspace[] {
    return [...this.#byId.values()];
  }
}
