import { validate } from '../../../contract/schema.js';
import type { SharedRules } from '../../faults/workspace-faults.js';
import type { JsonValue } from '../../model/fault.js';
import type { JournalEntry } from '../../model/journal-entry.js';
import { notRight, ServiceError } from '../../model/service-error.js';
import type {
  ChangedPart,
  DueWork,
  FoundWorkspace,
  SharedSettings,
  SharedWorkspaceStore,
} from '../../store/shared-store.js';
import type { SharedTime } from '../../time/clock.js';
import { lookAgainAfter } from '../../time/machine-clock.js';
import type { History } from '../history.js';
import type { LiveWorkspace, WorkspaceLife } from '../live-workspace.js';
import { resumeSwitches, type SwitchableParts, switchesOf } from '../restore.js';
import { type Switches, switchesSchema } from '../state-schema.js';
import { CatchingUp, SharedJournal } from './shared-journal.js';
import type { Sharing } from './sharing.js';

/** How often a replica checks whether another one is still moving the clock. In milliseconds. */
const moveLookedAtEvery = 20;

/** Converts the switches for a store, as the settings that the replicas share in addition to the records and the clock. */
export function settingsAsJson(switches: Switches): JsonValue {
  return JSON.parse(JSON.stringify(switches));
}

/** @throws ConfigurationError if another version of the package wrote them. */
function settingsFromJson(settings: JsonValue): Switches {
  const validation = validate(switchesSchema, settings);
  if (validation.valid) return validation.value;
  throw notRight('The settings of the workspace in the store', validation.problems);
}

/** The parts of a workspace that are the same in every replica, in addition to its records, and its life in this one. */
interface OwnParts extends SwitchableParts, Pick<LiveWorkspace, 'clock'> {
  readonly life: Pick<WorkspaceLife, 'isStopped' | 'refuseIfClosed'>;
}

export interface AmongReplicasOptions {
  readonly store: SharedWorkspaceStore;
  /** Resolves when the store has the workspace. */
  readonly added: Promise<void>;
  readonly history: History;
  /** The workspace in this process, when it is assembled. */
  readonly workspace: () => OwnParts;
  /** Starts due work in this process. */
  readonly startDue: (work: DueWork) => void;
  readonly onFailure: (error: unknown) => void;
  /** Called when the workspace was deleted. */
  readonly onGone: () => void;
}

/** A workspace that several replicas share through a store. */
export class AmongReplicas implements Sharing {
  readonly time: SharedTime;
  readonly rules: SharedRules;
  readonly #options: AmongReplicasOptions;
  readonly #journal: SharedJournal;
  readonly #refreshing: CatchingUp;
  /** The revision of the shared settings that this process has. 0: none, or it is unknown whether it has one. */
  #revision = 0;
  /** The latest step, which reads or changes the shared settings. Steps run one after the other, because each leaves a revision. */
  #latest: Promise<unknown> = Promise.resolve();
  /** The latest change of the settings by this process. */
  #changed: Promise<void> = Promise.resolve();
  /** The first error of a change whose caller could not await it. */
  #failure: { readonly error: unknown } | undefined;

  constructor(options: AmongReplicasOptions) {
    const { store, history, workspace, onFailure } = options;
    const catchingUp = { onFailure, isOver: () => workspace().life.isStopped };
    this.#options = options;
    this.#refreshing = new CatchingUp(() => this.sharedSettings(), catchingUp);
    this.#journal = new SharedJournal(store.journal, history, catchingUp);
    this.time = {
      alone: (move) => this.#alone(move),
      change: async (change) => {
        await this.#change(change);
        workspace().life.refuseIfClosed();
      },
      next: () => store.schedule.next(),
      startDue: () => this.resume(),
    };
    this.rules = {
      repeat: (change) => {
        this.#changed = this.#change(change);
        this.#changed.catch(onFailure);
      },
      decide: (decide) => this.#decide(decide),
    };
  }

  record(entry: JournalEntry): void {
    this.#journal.record(entry);
  }

  clearJournal(): Promise<void> {
    return this.#journal.clear();
  }

  startAt(): void {}

  async resume(): Promise<void> {
    const { store, workspace, startDue } = this.#options;
    for (const work of await store.schedule.due(workspace().clock.now())) startDue(work);
  }

  async current(): Promise<void> {
    await Promise.all([
      this.sharedSettings(),
      this.#journal.written().then(() => this.#journal.catchUp()),
      this.#options.workspace().clock.lookAhead(),
    ]);
  }

  sharedSettings(): Promise<void> {
    return this.#inTurn(async () => {
      const latest = await this.#options.store.sharedSettings.read();
      if (latest === undefined) return this.#options.onGone();
      if (latest.revision <= this.#revision) return;
      this.#apply(latest);
      this.#revision = latest.revision;
    });
  }

  async sharedSettingsOf({ number, revision }: FoundWorkspace): Promise<void> {
    const isOwn = number === this.#options.store.number;
    if (!isOwn || revision > this.#revision) await this.sharedSettings();
  }

  changed(): Promise<void> {
    return this.#changed;
  }

  keepFailure(): void {
    this.#changed.catch((error: unknown) => {
      this.#failure ??= { error };
    });
  }

  throwFailure(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }

  written(): Promise<void> {
    return this.#journal.written();
  }

  async isIdle(): Promise<boolean> {
    await Promise.all([this.#changed.catch(() => {}), this.#journal.written()]);
    const { store, workspace } = this.#options;
    return store.schedule.isIdle(workspace().clock.now());
  }

  /** Applies the changes of another replica. A deletion may be that of an earlier workspace with the same id. */
  notice(changed: ChangedPart): void {
    if (changed === 'journal') this.#journal.follow();
    else this.#refreshing.start();
  }

  /** Applies what changed while the store was unreachable, and writes what waited for it. */
  returned(): void {
    this.notice('settings');
    this.#journal.returned();
  }

  /** Changes the shared settings of every replica. `change` changes those of this process, and can run more than once. */
  #change(change: () => void): Promise<void> {
    return this.#inTurn(async () => {
      try {
        const changed = await this.#options.store.sharedSettings.change((now) => {
          this.#apply(now);
          change();
          return this.#own();
        });
        if (changed === undefined) this.#options.onGone();
        else this.#revision = Math.max(this.#revision, changed.revision);
      } catch (error) {
        // This process has made the change, and the store has not, or its response was lost.
        this.#revision = 0;
        this.#refreshing.start();
        throw error;
      }
    });
  }

  #inTurn(step: () => Promise<void>): Promise<void> {
    const turn = this.#latest.then(() => this.#options.added).then(step);
    this.#latest = turn.catch(() => {});
    return turn;
  }

  /** Returns the shared settings of this process. */
  #own(): SharedSettings {
    const workspace = this.#options.workspace();
    return { clock: workspace.clock.position, settings: settingsAsJson(switchesOf(workspace)) };
  }

  /** Replaces the shared settings of this process. */
  #apply({ clock, settings }: SharedSettings): void {
    const workspace = this.#options.workspace();
    resumeSwitches(workspace, settingsFromJson(settings));
    workspace.clock.follow(clock);
  }

  async #alone(move: () => Promise<void>): Promise<void> {
    const { store, added, workspace, onGone } = this.#options;
    const { life } = workspace();
    await added;
    for (;;) {
      life.refuseIfClosed();
      if (life.isStopped) throw new ServiceError('service_unavailable', 'The server is closing.');
      const start = await store.sharedSettings.beginMove();
      if (start === 'begun') break;
      if (start === 'gone') onGone();
      else await lookAgainAfter(moveLookedAtEvery);
    }
    try {
      await this.sharedSettings();
      await move();
    } finally {
      await store.sharedSettings.endMove();
    }
  }

  async #decide<Decision>(decide: () => Decision): Promise<Decision> {
    let decided: { readonly decision: Decision } | undefined;
    await this.#change(() => {
      decided = { decision: decide() };
    });
    // Without shared settings, the workspace has been deleted.
    return decided === undefined ? decide() : decided.decision;
  }
}
