import { atMost } from '../../foundation/clock.js';
import { ConfigurationError } from '../../foundation/options.js';
import { failureLog } from '../model/log.js';
import type { WorkspaceSeed } from '../seed/workspace-seed.js';
import { digestOfKey } from './api-keys.js';
import { checkReceivers, receiversIn } from './check-workspace.js';
import type { LiveWorkspace } from './live-workspace.js';
import { createWorkspace, resumeWorkspace } from './own-workspace.js';
import type { SharedWorkspaces, WorkspaceUser } from './shared/shared-workspaces.js';
import type { WorkspaceInState } from './state-schema.js';
import type { WorkspaceDependencies } from './workspace-parts.js';

/** The largest number of API keys whose digests are cached. */
const digestsRemembered = 100;

/** The workspaces of a server. */
export class Workspaces {
  readonly #dependencies: WorkspaceDependencies;
  /** The workspaces, without a shared store. */
  readonly #byId = new Map<string, LiveWorkspace>();
  /** The workspaces that do not have their seed yet. A request waits for them, and fails if the server cannot do without one. */
  readonly #making = new Set<Promise<void>>();
  /** A cache of digests by key, because most requests have the same key as the previous one. */
  readonly #digests = new Map<string, string>();

  /** The workspaces of a shared store, if there is one. */
  readonly #shared: SharedWorkspaces | undefined;
  #isClosed = false;

  constructor(dependencies: WorkspaceDependencies, shared?: SharedWorkspaces) {
    this.#dependencies = dependencies;
    this.#shared = shared;
  }

  /**
   * Creates the server's own workspace, or loads the one with its id from a shared store. The server cannot do without it.
   *
   * @throws ConfigurationError if a webhook's URL is not allowed.
   */
  createFirst(seed: WorkspaceSeed): LiveWorkspace {
    this.#check(seed);
    const workspace = this.#shared?.createOrJoin(seed) ?? createWorkspace(seed, this.#dependencies);
    return this.#keep(workspace, workspace.life.ready);
  }

  /**
   * Creates another workspace. If that fails later, `ready` of the workspace rejects, and the server continues without it.
   *
   * @param usedBy - Whether the caller keeps the workspace, or only requests use it.
   * @throws ConfigurationError if another workspace has the seed's id or key, or if a webhook's URL is not allowed.
   */
  create(seed: WorkspaceSeed, usedBy: WorkspaceUser): LiveWorkspace {
    this.#check(seed);
    const { log, machine } = this.#dependencies;
    const workspace = this.#shared?.create(seed, usedBy) ?? createWorkspace(seed, this.#dependencies);
    return this.#keep(
      workspace,
      // What could not be created is removed.
      workspace.life.ready.catch(() => this.remove(workspace)).catch(failureLog(log, () => machine.now())),
    );
  }

  #check(seed: WorkspaceSeed): void {
    const { receiverAddresses, taken } = this.#dependencies;
    checkReceivers(
      "The workspace's seed",
      { managedWebhooks: seed.managedWebhooks ?? [] },
      receiverAddresses,
    );
    const names = [seed.workspaceId, seed.apiKey && digestOfKey(seed.apiKey)];
    if (names.some((name) => name !== undefined && taken?.has(name))) {
      throw new ConfigurationError(
        'Another workspace of this server has this id or this API key. Use others, or omit both to generate them.',
      );
    }
  }

  /**
   * Resumes a saved workspace.
   *
   * @param apiKey - The `apiKey` of the workspace object. It is valid only if its digest is among the saved ones.
   * @throws ConfigurationError if another workspace has its id or one of its keys, or if a URL in its state is not allowed.
   */
  resume(saved: WorkspaceInState, apiKey?: string): LiveWorkspace {
    const { id } = saved.workspace;
    const { receiverAddresses, taken } = this.#dependencies;
    checkReceivers(`The state of ${id}`, receiversIn(saved), receiverAddresses);
    if ([id, ...saved.apiKeyDigests].some((name) => taken?.has(name))) {
      throw new ConfigurationError(`Two workspaces have the id ${id}, or one of the keys of that workspace.`);
    }
    const workspace = resumeWorkspace(saved, apiKey, this.#dependencies);
    return this.#keep(workspace, workspace.life.ready);
  }

  /** @param made - Resolves when requests no longer need to wait for the workspace. */
  #keep(workspace: LiveWorkspace, made: Promise<void>): LiveWorkspace {
    if (this.#shared === undefined) this.#byId.set(workspace.id, workspace);
    const making = made.then(() => void this.#making.delete(making));
    // The next use of the server gets the error. Until then, the rejection must not end the process.
    making.catch(() => {});
    this.#making.add(making);
    return workspace;
  }

  /** Finds the workspace that a key opens. */
  async open(apiKey: string): Promise<LiveWorkspace | undefined> {
    await this.ready();
    const digest = this.#digests.get(apiKey) ?? digestOfKey(apiKey);
    const workspace = await (this.#shared?.find(digest) ?? this.#find(digest));
    if (workspace === undefined) return undefined;
    if (this.#digests.size >= digestsRemembered) this.#digests.clear();
    this.#digests.set(apiKey, digest);
    return workspace;
  }

  async #find(digest: string): Promise<LiveWorkspace | undefined> {
    const id = await this.#dependencies.store.findWorkspaceId(digest);
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** Closes a workspace. Afterwards, its id and its keys are free again. */
  async remove(workspace: LiveWorkspace): Promise<void> {
    // After a first close, another workspace may have its id.
    if (this.#byId.get(workspace.id) === workspace) this.#byId.delete(workspace.id);
    this.#shared?.forget(workspace);
    await workspace.life.close();
  }

  /** Closes a workspace. False if none has the id. */
  async removeById(id: string): Promise<boolean> {
    const workspace = (await this.#shared?.join(id)) ?? this.#byId.get(id);
    if (workspace === undefined) return false;
    await this.remove(workspace);
    return true;
  }

  /** Resolves when each workspace has its seed. */
  async ready(): Promise<void> {
    if (this.#making.size > 0) await Promise.all(this.#making);
  }

  /** Resolves when no workspace has due work left. */
  async settled(): Promise<void> {
    await Promise.all(this.list().map((workspace) => workspace.life.settled()));
  }

  /** Returns the workspaces that are loaded in this process. */
  list(): readonly LiveWorkspace[] {
    return this.#shared?.list() ?? [...this.#byId.values()];
  }

  /** Returns all workspaces, including those of a shared store that were not loaded in this process. */
  async all(): Promise<readonly LiveWorkspace[]> {
    return (await this.#shared?.all()) ?? this.list();
  }

  /** Starts no further work. Running work continues. */
  stop(): void {
    for (const workspace of this.list()) workspace.life.stop();
  }

  /** @throws Error if the server is closed. */
  refuseIfClosed(method: string): void {
    if (!this.#isClosed) return;
    throw new Error(`${method} failed: this reference server is closed. Create another server.`);
  }

  /** Takes no further calls, closes each workspace in this process, and leaves a shared store, where the records stay. */
  async leave(longest: number): Promise<void> {
    this.#isClosed = true;
    const remaining = this.list();
    await Promise.all(remaining.map((workspace) => workspace.life.leave()));
    const written = Promise.allSettled(remaining.map(({ journal }) => journal.written()));
    await atMost(this.#dependencies.machine, longest, written, () => {});
    await this.#shared?.close();
  }
}
