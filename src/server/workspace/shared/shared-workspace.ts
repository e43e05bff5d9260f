import { validate } from '../../../contract/schema.js';
import { retryWhileUnavailable } from '../../deliveries/dispatcher.js';
import { failureLog } from '../../model/log.js';
import { notRight, ServiceError } from '../../model/service-error.js';
import type { ChangedPart, DueWork, FoundWorkspace, SharedWorkspaceStore } from '../../store/shared-store.js';
import { timeAt } from '../../time/clock.js';
import { assemble, type LiveWorkspace } from '../live-workspace.js';
import { settingsOfSeed } from '../settings.js';
import { type InitialState, initialStateSchema, type SeedSettings, stateFromText } from '../state-schema.js';
import type { WorkspaceDependencies } from '../workspace-parts.js';
import { SharedJournal } from './shared-journal.js';
import { SharedSettings } from './shared-settings.js';

/** Why a workspace in a shared store has no listeners: a listener is connected to only one process. */
const noListeners =
  'This server shares its store with other replicas, so it has no listeners. Subscribe a URL that every replica can reach, ' +
  'or use listen with a server without a shared store.';

export interface SharedWorkspaceOptions {
  /** Its id, its key, and its settings until they are read from the store. Default key: a generated one, which does not open it. */
  readonly seed: SeedSettings & { readonly workspaceId: string; readonly apiKey?: string | undefined };
  readonly store: SharedWorkspaceStore;
  /** Resolves when the store has the workspace. */
  readonly added: Promise<void>;
}

/** This replica's part of a workspace that replicas share. */
export class SharedWorkspace {
  readonly live: LiveWorkspace;
  readonly #store: SharedWorkspaceStore;
  readonly #settings: SharedSettings;
  readonly #journal: SharedJournal;
  readonly #onFailure: (error: unknown) => void;

  constructor({ seed, store, added }: SharedWorkspaceOptions, dependencies: WorkspaceDependencies) {
    const { machine, log, newId } = dependencies;
    const { workspaceId: id, apiKey = newId('key') } = seed;
    const settings = new SharedSettings(store.settings, added, settingsOfSeed(seed, machine));
    this.#store = store;
    this.#settings = settings;
    this.#onFailure = failureLog(log, () => timeAt(settings.now.clock, machine));
    this.#journal = new SharedJournal(store.journal, added, this.#onFailure);
    let seeded: SeedSettings = seed;
    this.live = assemble(
      {
        id,
        apiKey,
        seeded: () => seeded,
        startedAt: 0,
        noListeners,
        created: added,
        begin: async () => {
          seeded = (await this.#begin()).settings;
        },
        readInitialState: async () => {
          const initialState = await readInitialState(store);
          return initialState && stateFromText(initialState.state);
        },
        deleteRecords: () => store.delete(),
        stores: {
          records: store,
          settings,
          journal: this.#journal,
          schedule: store.schedule,
          admissions: store.admissions,
        },
      },
      dependencies,
    );
  }

  /** Calls `gone` when this replica finds that the workspace was deleted. */
  whenGone(gone: () => void): void {
    this.#settings.whenGone(gone);
  }

  /** Whether this replica has seen the settings that the store has. */
  hasSeen({ number, mark }: FoundWorkspace): boolean {
    return number === this.#store.number && this.#settings.isSeen(mark);
  }

  /** Reads the settings, if those that the store has are others than this replica has seen. */
  async see(found: FoundWorkspace): Promise<void> {
    if (!this.hasSeen(found)) await this.#settings.read();
  }

  /** Reads the settings. */
  async read(): Promise<void> {
    await this.#settings.read();
  }

  /** Starts work that the store found due, with the latest settings. */
  async startDue(work: DueWork): Promise<void> {
    await this.#settings.read();
    this.live.agenda.begin(work);
  }

  /** Reads what changed, here or at another replica. A deletion may be that of an earlier workspace with the same id. */
  notice(changed: ChangedPart): void {
    if (changed !== 'journal') this.#inBackground(() => this.#settings.read());
    else if (this.#journal.history.isWatched) this.#inBackground(() => this.#journal.catchUp());
  }

  /** Reads everything again, and writes what waited, because the store was unreachable. */
  returned(): void {
    this.#journal.returned();
    this.notice('settings');
    this.notice('journal');
  }

  /** Runs a step, and repeats it while the store is unreachable, because no other notice may come. */
  #inBackground(step: () => Promise<void>): void {
    const { life } = this.live;
    retryWhileUnavailable(async () => {
      if (!life.isStopped) await step();
    }).catch(this.#onFailure);
  }

  async #begin(): Promise<InitialState> {
    await this.#settings.read();
    const initialState = await readInitialState(this.#store);
    if (initialState !== undefined) return initialState;
    // It was deleted meanwhile.
    await this.#settings.read();
    throw new ServiceError('unauthorized', `The workspace ${this.#store.id} is no longer in the store.`);
  }
}

async function readInitialState({ settings }: SharedWorkspaceStore): Promise<InitialState | undefined> {
  const initialState = await settings.readInitialState();
  if (initialState === undefined) return undefined;
  const validation = validate(initialStateSchema, initialState);
  if (validation.valid) return validation.value;
  throw notRight('The initial state of the workspace in the store', validation.problems);
}
