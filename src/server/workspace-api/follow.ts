import type { ChangeKind, TellChange } from '../model/change.js';
import type { JournalEntry } from '../model/journal-entry.js';
import { type Duration, toMilliseconds } from '../time/duration.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';

/** One item that a follower of a workspace receives. */
export type Occurrence =
  /** The next entry of the journal. */
  | { readonly kind: 'entry'; readonly number: number; readonly entry: JournalEntry }
  /** The journal dropped entries before the follower read them. `number`: the last dropped entry. */
  | { readonly kind: 'missed'; readonly number: number; readonly count: number }
  /** A reset removed all entries. `number`: the last removed entry. */
  | { readonly kind: 'cleared'; readonly number: number }
  /** Something besides the journal changed: all that changed since the last occurrence. Without `kinds`, it may be anything. */
  | { readonly kind: 'changed'; readonly kinds?: readonly ChangeKind[] }
  /** Nothing happened for a while. */
  | { readonly kind: 'idle' };

/** Calls `changed` after each change of the server's state. Returns a function that stops the calls. */
export type WatchChanges = (changed: TellChange) => () => void;

export interface FollowOptions {
  /** The number of the last entry that the follower has. Default: the latest one. */
  readonly after?: number | undefined;
  /** Aborts when the follower disconnects. */
  readonly gone: AbortSignal;
  /** Reports changes other than entries. Default: no reports. */
  readonly watchChanges?: WatchChanges;
  /** How long nothing must happen before an `idle` occurrence, by the machine's clock. Default: no `idle` occurrences. */
  readonly idleAfter?: Duration;
}

/**
 * Follows a workspace: yields each entry of its journal once and in order, and reports other changes. A slow follower does
 * not slow the workspace down, and misses only entries that the journal has dropped. Ends when the follower disconnects or
 * the workspace closes.
 *
 * @throws RateLimitedError at the call, if too many followers and waits are active.
 */
export function follow(
  { id, history, machine, waits }: LiveWorkspace,
  { after = history.latest, gone, watchChanges = () => () => {}, idleAfter }: FollowOptions,
): AsyncIterable<Occurrence> {
  let last = after;
  let { clears } = history;
  let isOver = false;
  let changes = new Set<ChangeKind | undefined>();
  let wake = () => {};
  const end = () => {
    isOver = true;
    wake();
  };
  const change: TellChange = (change) => {
    if ((change?.workspaceId ?? id) !== id) return;
    changes.add(change?.kind);
    wake();
  };
  const ends = [waits.begin(end), history.watch(() => wake()), watchChanges(change)];
  const leave = () => {
    end();
    gone.removeEventListener('abort', leave);
    for (const each of ends) each();
  };
  gone.addEventListener('abort', leave);
  if (gone.aborted) leave();

  const waiting = (): Occurrence | undefined => {
    if (history.clears > clears) {
      clears = history.clears;
      last = history.latestGone;
      return { kind: 'cleared', number: last };
    }
    const entry = history.entry(last + 1);
    if (entry !== undefined) {
      last += 1;
      return { kind: 'entry', number: last, entry };
    }
    if (last < history.latestGone) {
      const count = history.latestGone - last;
      last += count;
      return { kind: 'missed', number: last, count };
    }
    if (changes.size === 0) return undefined;
    const kinds = [...changes].flatMap((kind) => kind ?? []);
    const isAnything = kinds.length < changes.size;
    changes = new Set();
    return isAnything ? { kind: 'changed' } : { kind: 'changed', kinds };
  };

  const next = async (): Promise<IteratorResult<Occurrence, undefined>> => {
    let isIdle = false;
    const becomeIdle = () => {
      isIdle = true;
      wake();
    };
    while (!isOver) {
      const value = waiting() ?? (isIdle ? { kind: 'idle' as const } : undefined);
      if (value !== undefined) return { done: false, value };
      // No await since the look at the journal, so an entry that arrives from now on wakes the loop.
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const cancelTimer =
        idleAfter === undefined ? () => {} : machine.setTimer(becomeIdle, toMilliseconds(idleAfter));
      await woken;
      cancelTimer();
    }
    leave();
    return { done: true, value: undefined };
  };
  // Not a generator: the `finally` of a generator whose `next` was never called does not run.
  return {
    [Symbol.asyncIterator]: () => ({
      next,
      async return() {
        leave();
        return { done: true, value: undefined };
      },
    }),
  };
}
