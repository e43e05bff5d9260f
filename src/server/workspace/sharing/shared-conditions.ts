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
  readonly onFailure: (error: unknown) => void;
}

/** Synchronizes the conditions of this process with those of the store. */
export class SharedConditions {
  readonly #store: ConditionStore;
  readonly #own: OwnConditions;
  readonly #listeners: SharedConditionsListeners;
  /** The revision that this process has. 0: none, or it is unknown whether it has one. */
  #revision = 0;
  /** The running changes. They run one after the other. */
  #changing: Promise<unknown> = Promise.resolve();
  /** The error of a change in the background that no caller has seen. */
  #unseen: { readonly error: unknown } | undefined;

  constructor(store: ConditionStore, own: OwnConditions, listeners: SharedConditionsListeners) {
    this.#store = store;
    this.#own = own;
    this.#listeners = listeners;
  }

  /** Applies the changes of other replicas. */
  async refresh(): Promise<void> {
    const latest = await this.#store.read();
    if (latest === undefined) return this.#listeners.onGone();
    if (latest.revision <= this.#revision) return;
    this.#own.apply(latest);
    this.#revision = latest.revision;
  }

  /** Whether this process has this revision. */
  has(revision: number): boolean {
    return revision <= this.#revision;
  }

  /** Changes the conditions of every replica. `change` changes those of this process, and can run more than once. */
  change(change: () => void): Promise<void> {
    const changing = this.#changing.then(() => this.#change(change));
    this.#changing = changing.catch(() => {});
    return changing;
  }

  /** Repeats a change of this process on the store, in the background. If that fails, `written` rejects. */
  repeat(change: () => void): void {
    this.change(change).catch((error: unknown) => {
      this.#unseen ??= { error };
      this.#listeners.onFailure(error);
    });
  }

  /** Resolves when the changes so far are in the store. Rejects once if one in the background is not. */
  async written(): Promise<void> {
    await this.#changing;
    const unseen = this.#unseen;
    this.#unseen = undefined;
    if (unseen !== undefined) throw unseen.error;
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
