import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import { type Page, type PageOptions, type PageRange, rangeOf } from '../model/page.js';
import { type Duration, isDuration, toMilliseconds } from '../time/duration.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { explain, matchOf, WaitEndedError, WaitTimeoutError, type Wanted } from './wait.js';

/** One minute, because proxies and clients abort longer requests. In milliseconds. */
const longestWait = 60_000;

/** The query parameter that says how long to wait. */
export const waitSchema: Schema<Duration> = z.custom<Duration>(
  (text) => typeof text === 'string' && isDuration(text) && toMilliseconds(text) <= longestWait,
  'must be a duration with its unit, such as 2s or 500ms, and at most 60s',
);

/** The options of a read that can wait. */
export interface ReadOptions extends PageOptions {
  /** How long to wait while the page is empty, by the machine's clock. Default: no wait. */
  readonly wait?: Duration | undefined;
  /** Aborts when the reader disconnects. */
  readonly gone: AbortSignal;
}

/**
 * Reads a page. If the page is empty and `wait` is set, reads it again when the journal has an item that matches.
 *
 * @throws WaitTimeoutError that lists the closest items; WaitEndedError; RateLimitedError if too many readers wait already.
 */
export async function pageWithin<Item, Shown>(
  { history, machine, waits }: LiveWorkspace,
  wanted: Wanted<Item>,
  read: (range: PageRange) => Promise<Page<Shown>>,
  { wait, gone, ...options }: ReadOptions,
): Promise<Page<Shown>> {
  const range = rangeOf(options);
  if (wait === undefined) return read(range);
  const limit = toMilliseconds(wait);
  let wake = () => {};
  let failure: Error | undefined;
  const failWith = (error: () => Error) => () => {
    failure ??= error();
    wake();
  };
  const ends = [
    waits.begin(failWith(() => new WaitEndedError('The workspace closed during the wait.'))),
    machine.setTimer(
      failWith(() => new WaitTimeoutError(explain(history, wanted, 1, limit))),
      limit,
    ),
    history.watch((entry) => {
      if (matchOf(wanted, entry) !== undefined) wake();
    }),
  ];
  const leave = failWith(() => new WaitEndedError('The reader disconnected.'));
  gone.addEventListener('abort', leave);
  if (gone.aborted) leave();
  try {
    for (;;) {
      // Reset before the read: an entry that arrives during the read causes another read.
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const page = await read(range);
      if (page.data.length > 0) return page;
      if (failure !== undefined) throw failure;
      await woken;
    }
  } finally {
    gone.removeEventListener('abort', leave);
    for (const end of ends) end();
  }
}
