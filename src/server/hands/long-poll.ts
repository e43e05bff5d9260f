import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import { describeErrorClass, MessagingAutomationError } from '../../foundation/base-error.js';
import { type Duration, isDuration, toMilliseconds } from '../time/duration.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import type { Page, PageOptions } from './page.js';
import { explain, WaitTimeoutError, type Wanted } from './wait.js';

/** A minute: beyond that, proxies and clients give a request up. */
const longestWait = 60_000;

/** How long a reader waits, as it stands in a query. */
export const waitSchema: Schema<Duration> = z.custom<Duration>(
  (text) => typeof text === 'string' && isDuration(text) && toMilliseconds(text) <= longestWait,
  'must be a duration with its unit, such as 2s or 500ms, and 60s at the most',
);

/** How a page is read. */
export interface ReadOptions extends PageOptions {
  /** How long to wait for a page that would be empty, by the machine's clock. Not at all unless told. */
  readonly wait?: Duration | undefined;
  /** Aborts when the reader is gone. */
  readonly gone: AbortSignal;
}

/** A wait that nobody awaits any more, or that the end of its workspace has ended. */
export class WaitEndedError extends MessagingAutomationError {
  static {
    describeErrorClass(this, 'WaitEndedError');
  }
}

/**
 * Reads a page and, where that is empty and a wait was asked for, again as soon as there is something in it.
 *
 * @throws WaitTimeoutError that names the near misses; WaitEndedError; RateLimitedError where too many wait already.
 */
export async function pageWithin<Item, Shown>(
  { history, machine, waits }: LiveWorkspace,
  wanted: Wanted<Item>,
  read: () => Promise<Page<Shown>>,
  { wait, gone }: ReadOptions,
): Promise<Page<Shown>> {
  if (wait === undefined) return read();
  const limit = toMilliseconds(wait);
  let wake = () => {};
  let failure: Error | undefined;
  const failWith = (error: () => Error) => () => {
    failure ??= error();
    wake();
  };
  const ends = [
    waits.begin(failWith(() => new WaitEndedError('The workspace ends: nothing more will happen in it.'))),
    machine.setTimer(
      failWith(() => new WaitTimeoutError(explain(history, wanted, 1, limit))),
      limit,
    ),
    history.watch((entry) => {
      if (wanted.select(entry) !== undefined) wake();
    }),
  ];
  const leave = failWith(() => new WaitEndedError('The reader is gone.'));
  gone.addEventListener('abort', leave);
  if (gone.aborted) leave();
  try {
    for (;;) {
      // Before the page is read: what happens meanwhile has it read once more.
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const page = await read();
      if (page.data.length > 0) return page;
      if (failure !== undefined) throw failure;
      await woken;
    }
  } finally {
    gone.removeEventListener('abort', leave);
    for (const end of ends) end();
  }
}
