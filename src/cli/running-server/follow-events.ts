import { EventSourceParserStream } from 'eventsource-parser/stream';
import { CommandFailure } from '../terminal/failures.js';
import type { Terminal } from '../terminal/terminal.js';
import { pause, timeLimit } from '../terminal/time.js';
import type { ControlClient } from './control-client.js';

/** A stream whose first event is `start`. */
export interface EventSource {
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** `complain` reports when the connection is lost, and when it is back. */
  readonly terminal: Pick<Terminal, 'clock' | 'complain'>;
  /** Opens it, after the last event with an id. */
  readonly open: (
    signal: AbortSignal,
    lastEventId: string | undefined,
  ) => Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  /** The message for a new connection, from the data of its `start` event. */
  readonly again: (start: unknown) => string;
  /** How long to try to reconnect, in milliseconds. Default: no limit. */
  readonly giveUpAfter?: number;
}

/** How long to wait before reconnecting, in milliseconds, unless the server's `retry` says otherwise. */
const defaultPause = 1_000;

/** The longest pause between two tries, unless the server asks for a longer one. In milliseconds. */
const longestPause = 2_000;

/** A stream that is silent for this long is dead, because the server sends something every 15 s. In milliseconds. */
const longestSilence = 45_000;

/**
 * Yields the events of a stream, their data read from JSON. Reconnects when the connection is lost.
 *
 * @throws CommandFailure if the first connection fails, the server refuses, or it is away for longer than `giveUpAfter`.
 */
export async function* followEvents({ url }: Pick<ControlClient, 'url'>, source: EventSource) {
  const { signal, terminal, again, open, giveUpAfter = Number.POSITIVE_INFINITY } = source;
  const { clock } = terminal;
  let lastEventId: string | undefined;
  let pauseLength = defaultPause;
  let failures = 0;
  let hasBegun = false;
  let lostAt: number | undefined;
  while (!signal.aborted) {
    const silence = timeLimit(clock, longestSilence, signal);
    try {
      const body = await open(silence.signal, lastEventId);
      const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(
        new EventSourceParserStream({
          onRetry: (length) => {
            pauseLength = length;
          },
          onComment: () => silence.restart(),
        }),
      );
      for await (const { event: name, id, data: text } of events) {
        silence.restart();
        lastEventId = id ?? lastEventId;
        const data: unknown = JSON.parse(text);
        if (name === 'start') {
          if (lostAt !== undefined) terminal.complain(again(data));
          hasBegun = true;
          lostAt = undefined;
          failures = 0;
        }
        yield { name, data };
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof CommandFailure && (!hasBegun || !error.mayPass)) throw error;
    } finally {
      silence.clear();
    }
    if (signal.aborted) return;
    if (lostAt === undefined) {
      lostAt = clock.now();
      terminal.complain(`Lost the connection to ${url}. Reconnecting.\n`);
    }
    if (clock.now() - lostAt >= giveUpAfter) {
      throw new CommandFailure(
        `No connection to ${url} within ${giveUpAfter / 1_000} s. Start the command again when the server runs.`,
      );
    }
    await pause(clock, Math.max(pauseLength, Math.min(pauseLength * 2 ** failures, longestPause)), signal);
    failures += 1;
  }
}
