import { ConfigurationError } from '../../../foundation/options.js';
import { failureLog } from '../../model/log.js';
import type { WorkspaceSeed } from '../../seed/workspace-seed.js';
import type {
  ChangedPart,
  DueWork,
  FoundWorkspace,
  SharedStore,
  WorkspaceAddition,
} from '../../store/shared-store.js';
import type { Store } from '../../store/store.js';
import { machineClock } from '../../time/machine-clock.js';
import { digestOfKey } from '../api-keys.js';
import type { LiveWorkspace } from '../live-workspace.js';
import { createWorkspace, saveWorkspace } from '../own-workspace.js';
import type { WorkspaceDependencies } from '../workspace-parts.js';
import { toStored } from './shared-settings.js';
import { SharedWorkspace } from './shared-workspace.js';

/** The default of `joinedAtOnce`. Each workspace takes some ten thousand bytes of memory. */
const defaultJoinedAtOnce = 1_000;

/** How many workspaces a listing reads at most. */
const workspacesListed = 1_000;

/**
 * How often a replica compares the marks of its workspaces with those in the store, in milliseconds. A store that goes back to a backup
 * notifies nobody.
 */
const comparedEvery = 500;

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
  readonly #live = new Map<string, SharedWorkspace>();
  /** The loaded workspaces that no caller keeps, the most recently used last. */
  readonly #joined = new Set<string>();
  readonly #joining = new Map<string, Promise<SharedWorkspace | undefined>>();
  /** The workspaces that this process is creating, and the ends of their creation. */
  readonly #creating = new Map<SharedWorkspace, Promise<void>>();
  readonly #opened: Promise<void>;
  readonly #logFailure: (error: unknown) => void;
  #cancelComparing = () => {};
  #isClosed = false;

  constructor(options: SharedWorkspacesOptions) {
    this.#options = options;
    const { log, machine } = options.dependencies;
    this.#logFailure = failureLog(log, () => machine.now());
    this.#opened = options.store.open({
      onDue: (workspaceId, work) => void this.#startDue(workspaceId, work),
      onChange: (workspaceId, changed) => this.#notice(workspaceId, changed),
      onReturn: () => {
        for (const workspace of this.#live.values()) workspace.returned();
      },
      onFailure: this.#logFailure,
    });
    // The first use of the server gets the error. Until then, the rejection must not end the process.
    this.#opened.then(
      () => this.#compareLater(),
      () => {},
    );
  }

  /**
   * Creates a workspace. Its `ready` rejects with a ConfigurationError if the store has its id or its key.
   *
   * @param usedBy - A workspace that only requests use can be unloaded, like one of another process.
   */
  create(seed: WorkspaceSeed, usedBy: WorkspaceUser): LiveWorkspace {
    const workspace = this.#added(seed, false);
    // Until the store has added it, another workspace may have its id.
    const created = workspace.live.life.ready
      .then(
        () => this.#keepCreated(workspace, usedBy),
        () => {},
      )
      .finally(() => this.#creating.delete(workspace));
    this.#creating.set(workspace, created);
    return workspace.live;
  }

  /** Creates a workspace, or loads the one with its id from the store. In both cases, the seed's key opens it. */
  createOrJoin(seed: WorkspaceSeed): LiveWorkspace {
    return this.#keep(this.#added(seed, true)).live;
  }

  /** Finds the workspace of the key with this digest. */
  async find(apiKeyDigest: string): Promise<LiveWorkspace | undefined> {
    await this.#opened;
    for (;;) {
      const found: FoundWorkspace | undefined = await this.#options.store.records.findWorkspace(apiKeyDigest);
      if (found === undefined) return undefined;
      const workspace = await this.#join(found.id);
      await workspace?.see(found);
      // Else it was deleted meanwhile, or this process had an earlier one with the same id.
      if (workspace !== undefined && this.#live.get(found.id) === workspace) return workspace.live;
    }
  }

  /** Loads a workspace from the store for a last time, to delete it. Undefined if the store has none with the id. */
  async join(id: string): Promise<LiveWorkspace | undefined> {
    const workspace = await this.#join(id);
    await workspace?.read();
    const latest = this.#live.get(id) === workspace ? workspace : await this.#join(id);
    return latest?.live;
  }

  /** Loads all workspaces, and returns them in the order of their addition. */
  async all(): Promise<readonly LiveWorkspace[]> {
    await this.#opened;
    const ids = await this.#options.store.records.listWorkspaceIds();
    const all = await Promise.all(ids.slice(0, workspacesListed).map((id) => this.#join(id)));
    return all.flatMap((workspace) => workspace?.live ?? []);
  }

  /** Removes a closed workspace from the loaded ones. */
  forget(workspace: LiveWorkspace): void {
    if (this.#live.get(workspace.id)?.live !== workspace) return;
    this.#live.delete(workspace.id);
    this.#joined.delete(workspace.id);
  }

  /** Those that this process takes part in, or is creating. */
  list(): readonly LiveWorkspace[] {
    return [...this.#live.values(), ...this.#creating.keys()].map(({ live }) => live);
  }

  /** Leaves the store. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelComparing();
    return this.#options.store.close();
  }

  /** Loads a workspace from the store. Undefined if the store has none with the id. */
  async #join(id: string): Promise<SharedWorkspace | undefined> {
    for (const [{ live }, created] of this.#creating) if (live.id === id) await created;
    const workspace = this.#live.get(id);
    if (workspace !== undefined && !this.#joining.has(id)) {
      if (this.#joined.delete(id)) this.#joined.add(id);
      await workspace.live.life.ready;
      return workspace;
    }
    const joining = this.#joining.get(id) ?? this.#load(id).finally(() => this.#joining.delete(id));
    this.#joining.set(id, joining);
    return joining;
  }

  async #load(id: string): Promise<SharedWorkspace | undefined> {
    const { store, dependencies } = this.#options;
    const part = store.records.workspace(id);
    if ((await part.settings.read()) === undefined) return undefined;
    // Kept before it is ready, so that it gets each notice of a change.
    const loaded = this.#keep(
      new SharedWorkspace({ seed: { workspaceId: id }, store: part, added: Promise.resolve() }, dependencies),
    );
    try {
      await loaded.live.life.ready;
    } catch (error) {
      if (this.#live.get(id) !== loaded) return undefined;
      this.#leave(loaded.live);
      throw error;
    }
    // Else it was deleted meanwhile.
    if (this.#live.get(id) !== loaded) return undefined;
    this.#joined.add(id);
    this.#leaveOldest();
    return loaded;
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
      .map((id) => this.#live.get(id)?.live)
      .find((workspace) => workspace !== undefined && isIdle(workspace));
    if (idle !== undefined) this.#leave(idle);
  }

  #leave(workspace: LiveWorkspace): void {
    this.forget(workspace);
    this.#options.dependencies.changed();
    workspace.life.leave().catch(this.#logFailure);
  }

  #keep(workspace: SharedWorkspace): SharedWorkspace {
    const { live } = workspace;
    const earlier = this.#live.get(live.id);
    if (earlier !== undefined) this.#leave(earlier.live);
    this.#live.set(live.id, workspace);
    workspace.whenGone(() => this.#leave(live));
    return workspace;
  }

  #keepCreated(workspace: SharedWorkspace, usedBy: WorkspaceUser): void {
    this.#keep(workspace);
    // It may have been deleted already: then the notice has passed.
    workspace.notice('workspace');
    if (usedBy === 'caller') return;
    this.#joined.add(workspace.live.id);
    this.#leaveOldest();
  }

  /** @param joins - Whether to load the workspace with the seed's id, if the store has it. */
  #added(seed: WorkspaceSeed, joins: boolean): SharedWorkspace {
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
    const part = store.records.workspace(workspaceId);
    return new SharedWorkspace({ seed: named, store: part, added }, dependencies);
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
    const { apiKeyDigests, initialState } = await saveWorkspace(draft);
    const state = await draft.context.store.readState();
    await draft.life.handBack();
    return store.records.addWorkspace({
      apiKeyDigests,
      ...toStored(draft.settings.now),
      state,
      initialState: JSON.parse(JSON.stringify(initialState)),
    });
  }

  async #startDue(workspaceId: string, work: DueWork): Promise<void> {
    try {
      const workspace = await this.#join(workspaceId);
      await workspace?.startDue(work);
    } catch (error) {
      this.#logFailure(error);
    }
  }

  #notice(workspaceId: string, changed: ChangedPart): void {
    const workspace = this.#live.get(workspaceId);
    if (workspace === undefined) return;
    // The journal grows with records of any kind. Changed settings tell their kinds when they were read.
    if (changed !== 'settings') this.#options.dependencies.changed({ workspaceId });
    workspace.notice(changed);
  }

  #compareLater(): void {
    if (this.#isClosed) return;
    this.#cancelComparing = machineClock.setTimer(() => void this.#compare(), comparedEvery);
  }

  /** Reads the settings of each workspace whose mark in the store is another than this replica has seen. */
  async #compare(): Promise<void> {
    try {
      const workspaces = [...this.#live.values()];
      const found = await this.#options.store.records.readMarks(workspaces.map(({ live }) => live.id));
      const marks = new Map(found.map((each) => [each.id, each]));
      for (const workspace of workspaces) {
        const latest = marks.get(workspace.live.id);
        if (latest === undefined || !workspace.hasSeen(latest)) workspace.notice('settings');
      }
    } catch {
      // The store is unreachable, which it reports itself.
    }
    this.#compareLater();
  }
}

/** Whether this process has no running work, requests, waits or watchers in a workspace. */
function isIdle({ work, requests, waits, heldRequests, journal }: LiveWorkspace): boolean {
  const isWaitedFor = waits.size + heldRequests.size > 0 || journal.history.isWatched;
  return work.isIdle && requests.isIdle && !isWaitedFor;
}
