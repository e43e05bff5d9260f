import type { Page, PageOptions, PageRange } from '../model/page.js';
import { rangeOf } from '../model/page.js';
import { type Duration, toMilliseconds } from '../time/duration.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { follow } from './journal/follow.js';
import { explain, isPhone, matchOf, WaitEndedError, WaitTimeoutError, type Wanted } from './wait.js';

/** How the control surface reads lists: page by page, and if a page is empty, with a wait for its first item. */

/** Where a page begins, its size, and how long to wait for its first item. */
export interface ReadOptions extends PageOptions {
  /** How long to wait while the page is empty, by the machine's clock. Default: no wait. */
  readonly wait?: Duration | undefined;
  /** Aborts when the reader disconnects. */
  readonly gone: AbortSignal;
}

/** A page of a list that drops its oldest items when it is full. */
export interface ForgetfulPage<Item> extends Page<Item> {
  /** How many items the list has dropped. */
  readonly forgotten: number;
}

/**
 * Reads a page. If the page is empty and `wait` is set, reads it again when the journal has an item that matches.
 *
 * @throws WaitTimeoutError that lists the closest items; WaitEndedError; RateLimitedError if too many readers wait already.
 */
export async function pageWithin<Item, Shown>(
  live: LiveWorkspace,
  wanted: Wanted<Item>,
  read: (range: PageRange) => Promise<Page<Shown>>,
  { wait, gone, ...options }: ReadOptions,
): Promise<Page<Shown>> {
  const range = rangeOf(options);
  if (wait === undefined) return read(range);
  const limit = toMilliseconds(wait);
  const over = new AbortController();
  // Followed before the read: an entry that arrives during the read causes another one.
  const entries = follow(live, { gone: AbortSignal.any([gone, over.signal]) });
  const cancelTimer = live.machine.setTimer(() => over.abort(), limit);
  try {
    const page = await read(range);
    if (page.data.length > 0) return page;
    for await (const occurrence of entries) {
      if (occurrence?.kind === 'entry' && matchOf(wanted, occurrence.entry) === undefined) continue;
      const later = await read(range);
      if (later.data.length > 0) return later;
    }
  } finally {
    cancelTimer();
    over.abort();
  }
  if (gone.aborted) throw new WaitEndedError('The reader disconnected.');
  if (live.life.isStopped) throw new WaitEndedError('The workspace closed during the wait.');
  throw new WaitTimeoutError(explain(live.history, wanted, 1, limit));
}

/** Returns the field that names a contact: the phone or the id. */
export function named(contact: string | undefined): { readonly phone?: string; readonly contactId?: string } {
  if (contact === undefined) return {};
  return isPhone(contact) ? { phone: contact } : { contactId: contact };
}
