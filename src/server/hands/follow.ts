import type { JournalEntry } from '../model/journal-entry.js';
import { type Duration, toMilliseconds } from '../time/duration.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';

/** What a follower of a workspace is told. */
export type Occurrence =
  /** The next entry of the journal. */
  | { readonly kind: 'entry'; readonly number: number; readonly entry: JournalEntry }
  /** The journal dropped entries before the follower read them. `number`: the last one that it dropped. */
  | { readonly kind: 'missed'; readonly number: number; readonly count: number }
  /** A reset removed all entries. `number`: the last one that it removed. */
  | { readonly kind: 'cleared'; readonly number: number }
  /** The workspace changed: its state, its clock, its faults or its settings. Several changes can be one occurrence. */
  | { readonly kind: 'changed' }
  /** Nothing happened for a while. */
  | { readonly kind: 'idle' };

/** Calls back after each change of what a server holds. Returns what ends the calls. */
export type WatchChanges = (changed: () => void) => () => void;

export interface FollowOptions {
  /** The number of the last entry that the follower has. Default: the latest one. */
  readonly after?: number | undefined;
  /** Ends it when the follower disconnects. */
  readonly gone: AbortSignal;
  /** Default: nobody tells of changes. */
  readonly watchChanges?: WatchChanges;
  /** How long nothing happens before an `idle`, by the machine's clock. Default: there is none. */
  readonly idleAfter?: Duration;
}

/**
 * Follows a workspace: each entry of its journal once and in order, and that something else changed. A follower that is
 * slower than the workspace holds nothing up and loses nothing that the journal keeps. Ends when the follower
 * disconnects or the workspace closes.
 *
 * @throws RateLimitedError when it is called, if too many follow or wait already.
 */
export function follow(live: LiveWorkspace, options: FollowOptions): AsyncIterable<Occurrence> {
  const { gone, watchChanges = () => () => {} } = options;
  const follower = new Follower();
  const ends = [
    live.waits.begin(follower.end),
    live.history.watch(follower.wake),
    watchChanges(follower.change),
    () => gone.removeEventListener('abort', disconnected),
  ];
  const leave = () => {
    for (const end of ends) end();
  };
  const disconnected = () => {
    follower.end();
    leave();
  };
  gone.addEventListener('abort', disconnected);
  if (gone.aborted) disconnected();
  const found = occurrences(live, follower, options);
  // A generator that was never asked for anything runs no `finally`: so what ends it is here.
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const next = await found.next();
        if (next.done === true) leave();
        return next;
      },
      return: async () => {
        disconnected();
        return { done: true, value: undefined };
      },
    }),
  };
}

/** Wakes the loop that reads the journal. */
class Follower {
  isOver = false;
  isChanged = false;
  #wake = () => {};

  readonly wake = (): void => this.#wake();

  readonly change = (): void => {
    this.isChanged = true;
    this.#wake();
  };

  readonly end = (): void => {
    this.isOver = true;
    this.#wake();
  };

  /** Resolves with the next call of `wake`. */
  woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

async function* occurrences(
  { history, machine }: LiveWorkspace,
  follower: Follower,
  { after = history.latest, idleAfter }: FollowOptions,
): AsyncGenerator<Occurrence> {
  let last = after;
  let { clears } = history;
  while (!follower.isOver) {
    // Before the journal is read: an entry that comes during a read wakes the loop.
    const woken = follower.woken();
    if (history.clears > clears) {
      clears = history.clears;
      last = Math.max(last, history.latestGone);
      yield { kind: 'cleared', number: last };
      continue;
    }
    const entry = history.entry(last + 1);
    if (entry !== undefined) {
      last += 1;
      yield { kind: 'entry', number: last, entry };
    } else if (last < history.latestGone) {
      const count = history.latestGone - last;
      last += count;
      yield { kind: 'missed', number: last, count };
    } else if (follower.isChanged) {
      follower.isChanged = false;
      yield { kind: 'changed' };
    } else {
      let isIdle = false;
      const becomeIdle = () => {
        isIdle = true;
        follower.wake();
      };
      const cancelTimer =
        idleAfter === undefined ? () => {} : machine.setTimer(becomeIdle, toMilliseconds(idleAfter));
      await woken;
      cancelTimer();
      if (isIdle) yield { kind: 'idle' };
    }
  }
}
