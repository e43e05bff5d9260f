import type { ConditionStore, Conditions } from '../../store/condition-store.js';

/** The conditions of a workspace in this process. */
export interface OwnConditions {
  read(): Conditions;
  /** Replaces the conditions of this process. */
  apply(conditions: Conditions): void;
}

export interface SharedConditionsListeners {
  /** The workspace was deleted. */
  readonly onGone: () => void;
  /** A change failed, so the conditions of this process may differ from those of the store until the next `refresh`. */
  readonly onDoubt: () => void;
}

/** Synchronizes the conditions of this process with those of the store. */
export class SharedConditions {
  readonly #store: ConditionStore;
  readonly #own: OwnConditions;
  readonly #listeners: SharedConditionsListeners;
  /** The revision that this process has. 0: none, or it is unknown whether it has one. */
  #revision = 0;
  /** The latest step, which reads or changes. Steps run one after the other, because each leaves a revision in this process. */
  #latest: Promise<unknown> = Promise.resolve();

  constructor(store: ConditionStore, own: OwnConditions, listeners: SharedConditionsListeners) {
    this.#store = store;
    this.#own = own;
    this.#listeners = listeners;
  }

  /** Applies the changes of other replicas. */
  refresh(): Promise<void> {
    return this.#inTurn(() => this.#refresh());
  }

  /** Whether this process has this revision. */
  has(revision: number): boolean {
    return revision <= this.#revision;
  }

  /** Changes the conditions of every replica. `change` changes those of this process, and can run more than once. */
  change(change: () => void): Promise<void> {
    return this.#inTurn(() => this.#change(change));
  }

  #inTurn<Result>(step: () => Promise<Result>): Promise<Result> {
    const turn = this.#latest.then(step);
    this.#latest = turn.catch(() => {});
    return turn;
  }

  async #refresh(): Promise<void> {
    const latest = await this.#store.read();
    if (latest === undefined) return this.#listeners.onGone();
    if (latest.revision <= this.#revision) return;
    this.#own.apply(latest);
    this.#revision = latest.revision;
  }

  async #change(change: () => void): Promise<void> {
    try {
      const changed = await this.#store.change((now) => {
        this.#own.apply(now);
        change();
        return this.#own.read();
      });
      if (changed === undefined) this.#listeners.onGone();
      else this.#revision = Math.max(this.#revision, changed.revision);
    } catch (error) {
      // This process has made the change, and the store has not, or its answer was lost.
      this.#revision = 0;
      this.#listeners.onDoubt();
      throw error;
    }
  }
}
