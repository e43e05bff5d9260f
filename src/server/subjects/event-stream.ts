import type { Feed } from '../time/feed.js';

/** The server-sent events of one connection. */
export interface EventStream<Item> {
  /** How long a client waits before it connects again. In milliseconds. */
  readonly reconnectAfter: number;
  /** The first event. */
  readonly start: string;
  readonly occurrences: Feed<Item>;
  textOf(occurrence: Item): string;
}

/** How often a silent stream sends a comment, because proxies close connections after a minute of silence. */
export const idleAfter = '15s';

/** Formats one event. The client sends `id` in `Last-Event-ID` when it reconnects. */
export function eventText(name: string, data: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
