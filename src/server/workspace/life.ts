import { workspaceClosed } from '../model/service-error.js';
import type { LifeSteps, WorkspaceParts } from './workspace-parts.js';

/** The life of a workspace: it begins, settles, stops and closes. */
export class WorkspaceLife {
  readonly #parts: WorkspaceParts;
  readonly #steps: LifeSteps;
  /** Why the workspace could not be created. */
  #failure: unknown;
  #isStopped = false;
  #isClosed = false;
  #closing: Promise<void> | undefined;
  /** Resolves when the workspace has its seed. Until then, no key opens it. Rejects if it cannot be created. */
  readonly ready: Promise<void>;

  constructor(parts: WorkspaceParts, steps: LifeSteps) {
    this.#parts = parts;
    this.#steps = steps;
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
    if (this.#isClosed) throw workspaceClosed();
  }

  /**
   * Resolves when the workspace is ready for calls, with the latest settings. Rejects after a close, or if the workspace could not be
   * created.
   */
  async opened(): Promise<void> {
    this.refuseIfClosed();
    await this.ready;
    const reading = this.#parts.settings.read();
    if (reading === undefined) return;
    await reading;
    this.refuseIfClosed();
  }

  /** Resolves when no due work is left, in this process or elsewhere. */
  settled(): Promise<void> {
    return this.#parts.agenda.settled();
  }

  /** Starts no further work. Running work continues, and the records stay. */
  stop(): void {
    const { agenda, journal, clock, waits, listeners, heldRequests, dispatcher } = this.#parts;
    this.#isStopped = true;
    agenda.stop();
    journal.stop();
    clock.stop();
    waits.end();
    listeners.stop();
    heldRequests.end();
    dispatcher.close();
  }

  /** Stops, and also abandons running work, which becomes due again: at once, or after the lease if the store is unreachable. */
  async handBack(): Promise<void> {
    const { work, dispatcher, onFailure } = this.#parts;
    this.stop();
    work.close();
    await dispatcher.handBack().catch(onFailure);
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
    const { created, deleteRecords } = this.#steps;
    // The seed must not add records after the deletion.
    await this.ready.catch(() => {});
    // If the store does not have this workspace, another one may have its id.
    const isInStore = await created.then(
      () => true,
      () => false,
    );
    if (isInStore) await deleteRecords();
    this.#parts.release();
  }
}
