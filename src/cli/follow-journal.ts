import type { ControlSurface } from './control-surface.js';
import { type FollowOptions, followEvents } from './follow-events.js';
import type { ToldEntry } from './told-entry.js';

/** What a follower of a journal is told. */
export type Followed =
  | { readonly kind: 'entry'; readonly entry: ToldEntry }
  /** Entries that the journal dropped before they could be read. */
  | { readonly kind: 'missed'; readonly count: number }
  /** A reset of the workspace removed all entries. */
  | { readonly kind: 'cleared' };

/**
 * Gives all that the journal holds, and then each entry as it comes: once, in order, and also over a lost connection.
 *
 * @throws CommandFailure where the server is not there at first, or refuses.
 */
export async function* followJournal(
  surface: ControlSurface,
  options: FollowOptions,
): AsyncGenerator<Followed> {
  const events = followEvents(surface, {
    ...options,
    open: (signal, lastEventId) =>
      surface.stream('/control/stream?since=0', {
        signal,
        ...(lastEventId !== undefined && { headers: { 'Last-Event-ID': lastEventId } }),
      }),
    again: (start) => {
      const { resumed }: { readonly resumed?: unknown } = Object(start);
      return resumed === true
        ? 'Connected again.\n'
        : 'Connected again, to a server that was started anew: its journal begins with 1.\n';
    },
  });
  for await (const { name, data } of events) {
    if (name === 'entry') {
      const entry: ToldEntry = Object(data);
      yield { kind: 'entry', entry };
    } else if (name === 'missed') {
      const { count }: { readonly count: number } = Object(data);
      yield { kind: 'missed', count };
    } else if (name === 'cleared') {
      yield { kind: 'cleared' };
    }
  }
}
