import { ServiceError } from '../model/service-error.js';
import { lookAgainAfter } from '../time/machine-clock.js';
import type { WorkspaceDependencies, WorkspaceParts } from './workspace-parts.js';

/** How often to check whether other replicas have finished their work. In milliseconds. */
const othersLookedAtEvery = 10;

/** The steps at the beginning and at the end of a workspace. */
export interface LifeSteps {
  /** Resolves when the store has the workspace. */
  readonly created: Promise<void>;
  /** Fills the workspace, or loads what this process needs of it. */
  readonly begin: (parts: WorkspaceParts) => Promise<void>;
  /** Deletes the workspace from its store. */
  readonly deleteRecords: () => Promise<void>;
}

/**
 * A running workspace: a record of its parts. One of two assemblers puts it together: `own-workspace.ts` for one process,
 * `shared-workspace.ts` for the replicas of a service.
 */
export interface LiveWorkspace extends WorkspaceParts {
  readonly life: WorkspaceLife;
}

/** The life of a workspace: it begins, settles, stops and closes. */
export class WorkspaceLife {
  /** Resolves when the workspace has its seed. Until then, no key opens it. Rejects if it cannot be created. */
  readonly ready: Promise<void>;
  readonly #parts: WorkspaceParts;
  readonly #steps: LifeSteps;
  readonly #taken: WorkspaceDependencies['taken'];
  /** Why the workspace could not be created. */
  #failure: unknown;
  #isStopped = false;
  #isClosed = false;
  #closing: Promise<void> | undefined;
  readonly #onFailure: (error: unknown) => void;

  constructor(
    parts: WorkspaceParts,
    steps: LifeSteps,
    taken: WorkspaceDependencies['taken'],
    onFailure: (error: unknown) => void,
  ) {
    this.#parts = parts;
    this.#steps = steps;
    this.#taken = taken;
    this.#onFailure = onFailure;
    this.ready = steps.created.then(() => steps.begin(parts));
    this.ready.catch((error: unknown) => {
      this.#failure = error;
    });
  }

  /** Whether this process starts nothing more in the workspace. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** @throws Error if the workspace could not be created, or is closed. */
  refuseIfClosed(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (!this.#isClosed) return;
    throw new ServiceError('unauthorized', 'This workspace is closed, or its server is. Create another.');
  }

  /** Resolves when the workspace is ready for calls. Rejects after a close, or if the workspace could not be created. */
  async opened(): Promise<void> {
    this.refuseIfClosed();
    await this.ready;
    const conditions = this.#parts.sharing.conditions();
    if (conditions === undefined) return;
    await conditions;
    this.refuseIfClosed();
  }

  /** Resolves when no due work is left, in this process or elsewhere. */
  async settled(): Promise<void> {
    const { work, sharing } = this.#parts;
    await work.settled();
    while (!this.#isStopped && !(await sharing.isIdle())) {
      await lookAgainAfter(othersLookedAtEvery);
      await work.settled();
    }
  }

  /** Starts no further work. Running work continues, and the records stay. */
  stop(): void {
    const { clock, waits, listeners, heldRequests, dispatcher } = this.#parts;
    this.#isStopped = true;
    clock.stop();
    waits.end();
    listeners.stop();
    heldRequests.end();
    dispatcher.close();
  }

  /** Stops, and also abandons running work, which becomes due again: at once, or after the lease if the store is unreachable. */
  async handBack(): Promise<void> {
    const { work, dispatcher } = this.#parts;
    this.stop();
    work.close();
    await dispatcher.handBack().catch(this.#onFailure);
  }

  /** Closes the workspace: cancels all waiting work and revokes its keys. If that fails, another call tries again. */
  close(): Promise<void> {
    return this.#end(() => this.#delete());
  }

  /** Stops taking part in a shared workspace. Other replicas continue its work. */
  leave(): Promise<void> {
    return this.#end(async () => {});
  }

  #end(lastStep: () => Promise<void>): Promise<void> {
    this.#isClosed = true;
    this.#parts.clock.end(() => this.refuseIfClosed());
    this.#closing ??= this.handBack()
      .then(lastStep)
      .catch((error: unknown) => {
        this.#closing = undefined;
        throw error;
      });
    return this.#closing;
  }

  async #delete(): Promise<void> {
    const { id, keys } = this.#parts;
    const { created, deleteRecords } = this.#steps;
    // The seed must not add records after the deletion.
    await this.ready.catch(() => {});
    // If the store does not have this workspace, another one may have its id.
    const isInStore = await created.then(
      () => true,
      () => false,
    );
    if (isInStore) await deleteRecords();
    keys.release();
    this.#taken.delete(id);
  }
}
