import type { Answer } from '../../answers/answer.js';

/** How often a silent stream sends a comment, because proxies close connections after a minute of silence. */
export const idleAfter = '15s';

/** The comment of a silent stream. Clients ignore it. */
export const idleText = ': nothing happened\n\n';

/** The headers of a stream of events. */
export const eventStreamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // Without this header, nginx buffers the events.
  'X-Accel-Buffering': 'no',
};

/** Formats one event. The client sends `id` in `Last-Event-ID` when it reconnects. */
export function eventText(name: string, data: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

export interface EventStream<Occurrence> {
  /** How long a client waits before it connects again. In milliseconds. */
  readonly reconnectAfter: number;
  /** The first event. */
  readonly start: string;
  readonly occurrences: AsyncIterable<Occurrence>;
  readonly textOf: (occurrence: Occurrence) => string;
}

/** Returns a stream as the body of an answer. It is not a generator, because a generator cannot be ended while it waits. */
export function eventStream<Occurrence>({
  reconnectAfter,
  start,
  occurrences,
  textOf,
}: EventStream<Occurrence>): Pick<Answer, 'headers' | 'pieces'> {
  const coming = occurrences[Symbol.asyncIterator]();
  let begun = false;
  const pieces = {
    [Symbol.asyncIterator]: () => ({
      async next(): Promise<IteratorResult<string, undefined>> {
        if (!begun) {
          begun = true;
          return { done: false, value: `retry: ${reconnectAfter}\n${start}` };
        }
        const next = await coming.next();
        return next.done === true
          ? { done: true, value: undefined }
          : { done: false, value: textOf(next.value) };
      },
      async return(): Promise<IteratorResult<string, undefined>> {
        await coming.return?.();
        return { done: true, value: undefined };
      },
    }),
  };
  return { headers: eventStreamHeaders, pieces };
}
