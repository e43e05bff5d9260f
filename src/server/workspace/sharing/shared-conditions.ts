import type { ConditionStore, Conditions } from '../../store/condition-store.js';

/** The conditions of a workspace in this process. */
export interface OwnConditions {
  read(): Conditions;
  /** Replaces the conditions of this process. */
  apply(conditions: Conditions): void;
}

/** Synchronizes the conditions of this process with those of the store. */
export class SharedConditions {
  readonly #store: ConditionStore;
  readonly #own: OwnConditions;
  readonly #onFailure: (error: unknown) => void;
  #revision = 0;
  /** The running changes. They run one after the other. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(store: ConditionStore, own: OwnConditions, onFailure: (error: unknown) => void) {
    this.#store = store;
    this.#own = own;
    this.#onFailure = onFailure;
  }

  /** Applies the changes of other replicas. */
  async refresh(): Promise<void> {
    const latest = await this.#store.read();
    if (latest === undefined || latest.revision <= this.#revision) return;
    this.#own.apply(latest);
    this.#revision = latest.revision;
  }

  /** Applies the changes of other replicas, if this process has an older revision. */
  async refreshTo(revision: number): Promise<void> {
    if (revision > this.#revision) await this.refresh();
  }

  /** Changes the conditions of every replica. `change` changes those of this process, and can run more than once. */
  change(change: () => void): Promise<void> {
    const changing = this.#changing.then(async () => {
      const changed = await this.#store.change((now) => {
        this.#own.apply(now);
        change();
        return this.#own.read();
      });
      this.#revision = Math.max(this.#revision, changed?.revision ?? 0);
    });
    this.#changing = changing.catch(() => {});
    return changing;
  }

  /** Repeats a change of this process on the store, in the background. */
  repeat(change: () => void): void {
    this.change(change).catch(this.#onFailure);
  }

  /** Resolves when the changes so far are in the store. */
  async written(): Promise<void> {
    await this.#changing;
  }
}
