import { setTimeout as pause } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { CommandFailure } from './command-failure.js';
import type { ControlSurface } from './control-surface.js';
import type { ToldEntry } from './told-entry.js';

/** What a follower of a journal is told. */
export type Followed =
  | { readonly kind: 'entry'; readonly entry: ToldEntry }
  /** Entries that the journal dropped before they could be read. */
  | { readonly kind: 'missed'; readonly count: number };

export interface FollowOptions {
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Is told when the connection is lost, and when there is one again. */
  readonly complain: (text: string) => void;
}

/** How long to wait before connecting again, unless the server says otherwise. In milliseconds. */
const defaultPause = 1_000;

/**
 * Gives all that the journal holds, and then each entry as it comes: once, in order, and also over a lost connection.
 *
 * @throws CommandFailure where the server is not there at first, or refuses.
 */
export async function* followJournal(
  surface: ControlSurface,
  { signal, complain }: FollowOptions,
): AsyncGenerator<Followed> {
  let lastEventId: string | undefined;
  let pauseLength = defaultPause;
  let isLost = false;
  while (!signal.aborted) {
    try {
      const body = await surface.stream('/control/stream?since=0', {
        signal,
        ...(lastEventId !== undefined && { headers: { 'Last-Event-ID': lastEventId } }),
      });
      const onRetry = (length: number) => {
        pauseLength = length;
      };
      const events = body
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream({ onRetry }));
      for await (const { event, id, data } of events) {
        lastEventId = id ?? lastEventId;
        if (event === 'entry') yield { kind: 'entry', entry: JSON.parse(data) };
        if (event === 'missed') yield { kind: 'missed', count: JSON.parse(data).count };
        if (event === 'start' && isLost) {
          isLost = false;
          complain(
            JSON.parse(data).resumed === true
              ? 'Connected again.\n'
              : 'Connected again, to a server that was started anew: its journal begins with 1.\n',
          );
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof CommandFailure && (lastEventId === undefined || !error.mayPass)) throw error;
    }
    if (signal.aborted) return;
    if (!isLost) complain(`The connection to ${surface.url} is lost. Trying until it is there again.\n`);
    isLost = true;
    await pause(pauseLength, undefined, { signal }).catch(() => {});
  }
}
