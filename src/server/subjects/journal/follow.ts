import type { ChangeKind, TellChange } from '../../model/change.js';
import type { JournalEntry } from '../../model/journal-entry.js';
import { Feed, type Reader } from '../../time/feed.js';
import type { LiveWorkspace } from '../../workspace/live-workspace.js';

/** One item that a follower of a workspace receives. */
export type Occurrence =
  /** The next entry of the journal. */
  | { readonly kind: 'entry'; readonly number: number; readonly entry: JournalEntry }
  /** The journal dropped entries before the follower read them. `number`: the last dropped entry. */
  | { readonly kind: 'missed'; readonly number: number; readonly count: number }
  /** A reset removed all entries. `number`: the last removed entry. */
  | { readonly kind: 'cleared'; readonly number: number }
  /** Something besides the journal changed: all that changed since the last occurrence. Without `kinds`, it may be anything. */
  | { readonly kind: 'changed'; readonly kinds?: readonly ChangeKind[] };

/** Calls `changed` after each change of the server's state. Returns a function that stops the calls. */
export type WatchChanges = (changed: TellChange) => () => void;

export interface FollowOptions extends Reader {
  /** The number of the last entry that the follower has. Default: the latest one. */
  readonly after?: number | undefined;
  /** Reports changes other than entries. Default: no reports. */
  readonly watchChanges?: WatchChanges;
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
  { after = history.latest, watchChanges = () => () => {}, ...reader }: FollowOptions,
): Feed<Occurrence> {
  let last = after;
  let { clears } = history;
  let changes = new Set<ChangeKind | undefined>();

  const take = (): Occurrence | undefined => {
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

  const feed = new Feed(machine, reader, take);
  const change: TellChange = (change) => {
    if ((change?.workspaceId ?? id) !== id) return;
    changes.add(change?.kind);
    feed.wake();
  };
  feed.whenOver(waits.begin(() => feed.end()));
  feed.whenOver(history.watch(() => feed.wake()));
  feed.whenOver(watchChanges(change));
  return feed;
}
