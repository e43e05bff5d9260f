/**
 * What can change in a workspace besides its journal. `sends` includes the quota, and
 * `specGaps` the mode of the built-in receiver. `workspaces`: one was created or deleted.
 */
export type ChangeKind =
  | 'clock'
  | 'contacts'
  | 'deliveries'
  | 'events'
  | 'faults'
  | 'journeys'
  | 'keys'
  | 'segments'
  | 'sends'
  | 'specGaps'
  | 'subscriptions'
  | 'templates'
  | 'workspaces';

export interface Change {
  /** Undefined if it may be anything. */
  readonly kind?: ChangeKind;
  /** The workspace that changed. Undefined if the change concerns all of them. */
  readonly workspaceId?: string;
}

/** Called after each change. Without a change, anything may have changed. */
export type TellChange = (change?: Change) => void;

/** Notifies listeners of changes. */
export class ChangeSignal {
  readonly #watchers = new Set<TellChange>();

  /** Calls back after each change. Returns a function that stops the calls. */
  watch(watcher: TellChange): () => void {
    const own: TellChange = (change) => watcher(change);
    this.#watchers.add(own);
    return () => void this.#watchers.delete(own);
  }

  readonly tell: TellChange = (change) => {
    for (const watcher of this.#watchers) watcher(change);
  };
}
