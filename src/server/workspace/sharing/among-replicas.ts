import type { SharedRules } from '../../faults/workspace-faults.js';
import type { JournalEntry } from '../../model/journal-entry.js';
import { ServiceError } from '../../model/service-error.js';
import type { ChangedPart, DueWork, FoundWorkspace, SharedWorkspaceStore } from '../../store/shared-store.js';
import type { SharedTime, SteerableClock } from '../../time/clock.js';
import { lookAgainAfter } from '../../time/machine-clock.js';
import type { History } from '../history.js';
import { type OwnConditions, SharedConditions } from './shared-conditions.js';
import { CatchingUp, SharedJournal } from './shared-journal.js';
import type { Sharing } from './sharing.js';

/** How often a replica checks whether another one is still moving the clock. In milliseconds. */
const moveLookedAtEvery = 20;

export interface AmongReplicasOptions {
  readonly store: SharedWorkspaceStore;
  readonly history: History;
  readonly clock: () => SteerableClock;
  readonly conditions: OwnConditions;
  /** Starts due work in this process. */
  readonly startDue: (work: DueWork) => void;
  readonly onFailure: (error: unknown) => void;
  /** Called when the workspace was deleted. */
  readonly onGone: () => void;
  /** Whether this process starts nothing more in the workspace. */
  readonly isStopped: () => boolean;
  /** Throws once the workspace is closed. */
  readonly refuseIfClosed: () => void;
}

/** A workspace that several replicas share through a store. */
export class AmongReplicas implements Sharing {
  readonly time: SharedTime;
  readonly rules: SharedRules;
  readonly #options: AmongReplicasOptions;
  readonly #conditions: SharedConditions;
  readonly #journal: SharedJournal;
  readonly #refreshing: CatchingUp;
  /** The latest change of the settings by this process. */
  #changed: Promise<void> = Promise.resolve();
  /** The first error of a change whose caller could not await it. */
  #failure: { readonly error: unknown } | undefined;

  constructor(options: AmongReplicasOptions) {
    const { store, history, conditions, onFailure, onGone, isStopped, refuseIfClosed } = options;
    const catchingUp = { onFailure, isOver: isStopped };
    this.#options = options;
    this.#refreshing = new CatchingUp(() => this.#conditions.refresh(), catchingUp);
    const onDoubt = () => this.#refreshing.start();
    this.#conditions = new SharedConditions(store.conditions, conditions, { onGone, onDoubt });
    this.#journal = new SharedJournal(store.journal, history, catchingUp);
    this.time = {
      alone: (move) => this.#alone(move),
      change: async (change) => {
        await this.#conditions.change(change);
        refuseIfClosed();
      },
      next: () => store.schedule.next(),
      startDue: () => this.#startDue(),
    };
    this.rules = {
      repeat: (change) => {
        this.#changed = this.#conditions.change(change);
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

  resume(): Promise<void> {
    return this.#startDue();
  }

  async current(): Promise<void> {
    await Promise.all([
      this.#conditions.refresh(),
      this.#journal.written().then(() => this.#journal.catchUp()),
      this.#options.clock().lookAhead(),
    ]);
  }

  conditions(): Promise<void> {
    return this.#conditions.refresh();
  }

  async conditionsOf({ number, revision }: FoundWorkspace): Promise<void> {
    const isOwn = number === this.#options.store.number;
    if (!isOwn || !this.#conditions.has(revision)) await this.#conditions.refresh();
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
    const { store, clock } = this.#options;
    return store.schedule.isIdle(clock().now());
  }

  /** Applies the changes of another replica. A deletion may be that of an earlier workspace with the same id. */
  notice(changed: ChangedPart): void {
    if (changed === 'journal') this.#journal.follow();
    else this.#refreshing.start();
  }

  /** Applies what changed while the store was unreachable, and writes what waited for it. */
  returned(): void {
    this.notice('conditions');
    this.#journal.returned();
  }

  async #alone(move: () => Promise<void>): Promise<void> {
    const { store, onGone, isStopped, refuseIfClosed } = this.#options;
    for (;;) {
      refuseIfClosed();
      if (isStopped()) throw new ServiceError('service_unavailable', 'The server is closing.');
      const beginning = await store.conditions.beginMove();
      if (beginning === 'begun') break;
      if (beginning === 'gone') onGone();
      else await lookAgainAfter(moveLookedAtEvery);
    }
    try {
      await this.#conditions.refresh();
      await move();
    } finally {
      await store.conditions.endMove();
    }
  }

  async #decide<Decision>(decide: () => Decision): Promise<Decision> {
    let decided: { readonly decision: Decision } | undefined;
    await this.#conditions.change(() => {
      decided = { decision: decide() };
    });
    // Without conditions, the workspace has been deleted.
    return decided === undefined ? decide() : decided.decision;
  }

  async #startDue(): Promise<void> {
    const { store, clock, startDue } = this.#options;
    for (const work of await store.schedule.due(clock().now())) startDue(work);
  }
}
