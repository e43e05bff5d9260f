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
  /** The state, clock, faults or settings of the workspace changed. One occurrence can report several changes. */
  | { readonly kind: 'changed' }
  /** Nothing happened for a while. */
  | { readonly kind: 'idle' };

/** Calls `changed` after each change of the server's state. Returns a function that stops the calls. */
export type WatchChanges = (changed: () => void) => () => void;

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
  // A generator whose `next` was never called does not run its `finally`. So the cleanup is here.
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
    // Created before the journal is read, so that an entry that arrives during the read wakes the loop.
    const woken = follower.woken();
    if (history.clears > clears) {
      clears = history.clears;
      last = history.latestGone;
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
