import { ConfigurationError } from '../../foundation/options.js';
import { failureLog } from '../model/log.js';
import type { WorkspaceSeed } from '../seed/workspace-seed.js';
import type {
  ChangedPart,
  DueWork,
  FoundWorkspace,
  SharedStore,
  WorkspaceAddition,
} from '../store/shared-store.js';
import type { Store } from '../store/store.js';
import { digestOfKey } from './api-keys.js';
import type { LiveWorkspace, WorkspaceDependencies } from './live-workspace.js';
import { createWorkspace, saveWorkspace } from './own-workspace.js';
import { sharedWorkspace, startDue } from './shared-workspace.js';
import { settingsAsJson } from './sharing/among-replicas.js';

/** The default of `joinedAtOnce`. Each workspace takes some ten thousand bytes of memory. */
const defaultJoinedAtOnce = 1_000;

/** How many workspaces a listing reads at most. */
const workspacesListed = 1_000;

export interface SharedWorkspacesOptions {
  readonly store: SharedStore;
  readonly dependencies: WorkspaceDependencies;
  /** Creates a store in memory, in which a new workspace gets its seed before the shared store has it. */
  readonly createDraftStore: () => Store;
  /** How many workspaces this process has loaded at once, not counting those that a caller keeps. Default: 1,000. */
  readonly joinedAtOnce?: number;
}

const whyNotAdded = {
  id_exists: 'Another workspace of this service has this id. Use another id, or omit it to generate one.',
  key_exists:
    'Another workspace of this service has this API key. Use another key, or omit it to generate one.',
} satisfies Record<Exclude<WorkspaceAddition, 'added'>, string>;

/** Who uses a created workspace: the caller, who keeps it, or requests, which find it by its key. */
export type WorkspaceUser = 'caller' | 'requests';

/** The workspaces of a store that several servers share. */
export class SharedWorkspaces {
  readonly #options: SharedWorkspacesOptions;
  /** Those that this process takes part in. */
  readonly #live = new Map<string, LiveWorkspace>();
  /** The loaded workspaces that no caller keeps, the most recently used last. */
  readonly #joined = new Set<string>();
  readonly #joining = new Map<string, Promise<LiveWorkspace | undefined>>();
  /** The workspaces that this process is creating, and the ends of their creation. */
  readonly #creating = new Map<LiveWorkspace, Promise<void>>();
  readonly #opened: Promise<void>;
  readonly #logFailure: (error: unknown) => void;

  constructor(options: SharedWorkspacesOptions) {
    this.#options = options;
    const { log, machine } = options.dependencies;
    this.#logFailure = failureLog(log, () => machine.now());
    this.#opened = options.store.open({
      onDue: (workspaceId, work) => void this.#startDue(workspaceId, work),
      onChange: (workspaceId, changed) => this.#notice(workspaceId, changed),
      onReturn: () => {
        for (const workspace of this.#live.values()) workspace.sharing.returned();
      },
      onFailure: this.#logFailure,
    });
    // The first use of the server gets the error. Until then, the rejection must not end the process.
    this.#opened.catch(() => {});
  }

  /**
   * Creates a workspace. Its `ready` rejects with a ConfigurationError if the store has its id or its key.
   *
   * @param usedBy - A workspace that only requests use can be unloaded, like one of another process.
   */
  create(seed: WorkspaceSeed, usedBy: WorkspaceUser): LiveWorkspace {
    const workspace = this.#added(seed, false);
    // Until the store has added it, another workspace may have its id.
    const created = workspace.life.ready
      .then(
        () => this.#keepCreated(workspace, usedBy),
        () => {},
      )
      .finally(() => this.#creating.delete(workspace));
    this.#creating.set(workspace, created);
    return workspace;
  }

  /** Creates a workspace, or loads the one with its id from the store. In both cases, the seed's key opens it. */
  createOrJoin(seed: WorkspaceSeed): LiveWorkspace {
    return this.#keep(this.#added(seed, true));
  }

  /** Finds the workspace of the key with this digest. */
  async find(apiKeyDigest: string): Promise<LiveWorkspace | undefined> {
    await this.#opened;
    for (;;) {
      const found: FoundWorkspace | undefined = await this.#options.store.records.findWorkspace(apiKeyDigest);
      if (found === undefined) return undefined;
      const workspace = await this.join(found.id);
      await workspace?.sharing.sharedSettingsOf(found);
      // Else it was deleted meanwhile, or this process had an earlier one with the same id.
      if (workspace !== undefined && this.#live.get(found.id) === workspace) return workspace;
    }
  }

  /** Loads a workspace from the store. Undefined if the store has none with the id. */
  async join(id: string): Promise<LiveWorkspace | undefined> {
    for (const [workspace, created] of this.#creating) if (workspace.id === id) await created;
    const live = this.#live.get(id);
    if (live !== undefined && !this.#joining.has(id)) {
      if (this.#joined.delete(id)) this.#joined.add(id);
      await live.life.ready;
      return live;
    }
    const joining = this.#joining.get(id) ?? this.#join(id).finally(() => this.#joining.delete(id));
    this.#joining.set(id, joining);
    return joining;
  }

  /** Loads a workspace from the store for a last time, to delete it. Undefined if the store has none with the id. */
  async joinLatest(id: string): Promise<LiveWorkspace | undefined> {
    const live = await this.join(id);
    await live?.sharing.sharedSettings();
    return live === undefined || this.#live.get(id) === live ? live : this.join(id);
  }

  /** Loads all workspaces, and returns them in the order of their addition. */
  async all(): Promise<readonly LiveWorkspace[]> {
    await this.#opened;
    const ids = await this.#options.store.records.listWorkspaceIds();
    const all = await Promise.all(ids.slice(0, workspacesListed).map((id) => this.join(id)));
    return all.filter((workspace) => workspace !== undefined);
  }

  /** Removes a closed workspace from the loaded ones. */
  forget(workspace: LiveWorkspace): void {
    if (this.#live.get(workspace.id) !== workspace) return;
    this.#live.delete(workspace.id);
    this.#joined.delete(workspace.id);
  }

  /** Those that this process takes part in, or is creating. */
  list(): readonly LiveWorkspace[] {
    return [...this.#live.values(), ...this.#creating.keys()];
  }

  /** Leaves the store. */
  close(): Promise<void> {
    return this.#options.store.close();
  }

  async #join(id: string): Promise<LiveWorkspace | undefined> {
    const { store, dependencies } = this.#options;
    const part = store.records.workspace(id);
    if ((await part.sharedSettings.read()) === undefined) return undefined;
    // Kept before it is ready, so that it gets each notice of a change.
    const live = this.#keep(
      sharedWorkspace(
        {
          seed: { workspaceId: id },
          store: part,
          added: Promise.resolve(),
          onGone: (workspace) => this.#leave(workspace),
        },
        dependencies,
      ),
    );
    try {
      await live.life.ready;
    } catch (error) {
      if (this.#live.get(id) !== live) return undefined;
      this.#leave(live);
      throw error;
    }
    // Else it was deleted meanwhile.
    if (this.#live.get(id) !== live) return undefined;
    this.#joined.add(id);
    this.#leaveOldest();
    return live;
  }

  /**
   * Unloads the least recently used workspace, if there are too many and one has no work. The next request loads it again. Keeps the
   * latest one, because a request is about to use it.
   */
  #leaveOldest(): void {
    const { joinedAtOnce = defaultJoinedAtOnce } = this.#options;
    if (this.#joined.size <= joinedAtOnce) return;
    const others = [...this.#joined].slice(0, -1);
    const idle = others
      .map((id) => this.#live.get(id))
      .find((workspace) => workspace !== undefined && isIdle(workspace));
    if (idle !== undefined) this.#leave(idle);
  }

  #leave(workspace: LiveWorkspace): void {
    this.forget(workspace);
    this.#options.dependencies.changed();
    workspace.life.leave().catch(this.#logFailure);
  }

  #keep(workspace: LiveWorkspace): LiveWorkspace {
    const earlier = this.#live.get(workspace.id);
    if (earlier !== undefined) this.#leave(earlier);
    this.#live.set(workspace.id, workspace);
    return workspace;
  }

  #keepCreated(workspace: LiveWorkspace, usedBy: WorkspaceUser): void {
    this.#keep(workspace);
    // It may have been deleted already: then the notice has passed.
    workspace.sharing.notice('workspace');
    if (usedBy === 'caller') return;
    this.#joined.add(workspace.id);
    this.#leaveOldest();
  }

  /** @param joins - Whether to load the workspace with the seed's id, if the store has it. */
  #added(seed: WorkspaceSeed, joins: boolean): LiveWorkspace {
    const { store, dependencies } = this.#options;
    const workspaceId = seed.workspaceId ?? dependencies.newId('workspace');
    const apiKey = seed.apiKey ?? dependencies.newId('key');
    const named = { ...seed, workspaceId, apiKey };
    const added = this.#opened.then(async () => {
      const result = await this.#add(named);
      if (result === 'added') return;
      if (result === 'key_exists' || !joins) throw new ConfigurationError(whyNotAdded[result]);
      const digest = digestOfKey(apiKey);
      if (await store.records.hasRevoked(workspaceId, digest)) return;
      await store.records.addApiKey(workspaceId, digest);
    });
    return sharedWorkspace(
      {
        seed: named,
        store: store.records.workspace(workspaceId),
        added,
        onGone: (workspace) => this.#leave(workspace),
      },
      dependencies,
    );
  }

  /** Adds a workspace with its seed to the store, atomically. */
  async #add(seed: WorkspaceSeed): Promise<WorkspaceAddition> {
    const { store, dependencies, createDraftStore } = this.#options;
    const draft = createWorkspace(seed, {
      ...dependencies,
      store: createDraftStore(),
      taken: new Set(),
      log: undefined,
    });
    await draft.life.ready;
    const { apiKeyDigests, clock, specGaps, faults, receiver, initialState } = await saveWorkspace(draft);
    const state = await draft.context.store.readState();
    await draft.life.handBack();
    return store.records.addWorkspace({
      apiKeyDigests,
      clock,
      settings: settingsAsJson({ specGaps, faults, receiver }),
      state,
      initialState: JSON.parse(JSON.stringify(initialState)),
    });
  }

  async #startDue(workspaceId: string, work: DueWork): Promise<void> {
    try {
      const workspace = await this.join(workspaceId);
      if (workspace !== undefined) startDue(workspace, work);
    } catch (error) {
      this.#logFailure(error);
    }
  }

  #notice(workspaceId: string, changed: ChangedPart): void {
    const workspace = this.#live.get(workspaceId);
    if (workspace === undefined) return;
    // The journal grows with records of any kind, and the shared settings have these.
    const kinds = changed === 'settings' ? (['clock', 'faults', 'specGaps'] as const) : [undefined];
    for (const kind of kinds) this.#options.dependencies.changed({ workspaceId, ...(kind && { kind }) });
    workspace.sharing.notice(changed);
  }
}

/** Whether this process has no running work, requests, waits or watchers in a workspace. */
function isIdle({ work, requests, waits, heldRequests, history }: LiveWorkspace): boolean {
  return work.isIdle && requests.isIdle && waits.size + heldRequests.size === 0 && !history.isWatched;
}
