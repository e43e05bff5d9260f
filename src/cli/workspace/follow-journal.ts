import type { EntryJson } from '../../server/http/control/entry-json.js';
import type { ControlSurface } from '../running-server/control-surface.js';
import { type FollowOptions, followEvents } from '../running-server/follow-events.js';

/** What following a journal yields. */
export type Followed =
  | { readonly kind: 'entry'; readonly entry: EntryJson }
  /** Entries that the journal dropped before they could be read. */
  | { readonly kind: 'missed'; readonly count: number }
  /** A reset of the workspace removed all entries. */
  | { readonly kind: 'cleared' };

/**
 * Yields all entries of the journal, and then each new one: once, in order, and also after a lost connection.
 *
 * @throws CommandFailure if the first connection fails, or the server refuses.
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
        ? 'Reconnected.\n'
        : 'Reconnected to a server that was restarted. Its journal begins with entry 1.\n';
    },
  });
  for await (const { name, data } of events) {
    if (name === 'entry') {
      const entry: EntryJson = Object(data);
      yield { kind: 'entry', entry };
    } else if (name === 'missed') {
      const { count }: { readonly count: number } = Object(data);
      yield { kind: 'missed', count };
    } else if (name === 'cleared') {
      yield { kind: 'cleared' };
    }
  }
}
