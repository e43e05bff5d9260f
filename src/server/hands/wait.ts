import { describeErrorClass, MessagingAutomationError } from '../../foundation/base-error.js';
import type { JournalEntry } from '../model/journal-entry.js';
import { type Duration, toMilliseconds } from '../time/duration.js';
import type { History } from '../workspace/history.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';

/**
 * How long to wait for something to happen, and for which time it happens.
 *
 * @example
 * ```ts
 * import type { WaitOptions } from 'messaging-automation/server';
 *
 * const theSecondOne: WaitOptions = { nth: 2, timeout: '5s' };
 * ```
 */
export interface WaitOptions {
  /** How long to wait, by the machine's clock, whatever the workspace's; `2s` unless told. */
  readonly timeout?: Duration | undefined;
  /** Which of those that match to wait for, those that happened already counted; 1, the first, unless told. */
  readonly nth?: number | undefined;
  /** Gives the wait up. */
  readonly signal?: AbortSignal | undefined;
}

/** What is waited for, among things of one kind. */
export interface Wanted<Item> {
  /** In words, as in `a delivery with event "message.received"`. */
  readonly subject: string;
  /** The item that an entry tells of, where it tells of one. */
  readonly select: (entry: JournalEntry) => Item | undefined;
  /** What keeps the item from being the one, in words; empty for one that is. */
  readonly differences: (item: Item) => readonly string[];
  /** The item in a line of an error. */
  readonly describe: (item: Item) => string;
}

/** How many near misses an error names. */
const missesShown = 5;

/**
 * What was waited for did not happen in time. The message names what did happen and comes nearest.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * await assert.rejects(server.sends.waitFor({ templateId: 'welcome' }, { timeout: '10ms' }), {
 *   name: 'WaitTimeoutError',
 * });
 * ```
 */
export class WaitTimeoutError extends MessagingAutomationError {
  static {
    describeErrorClass(this, 'WaitTimeoutError');
  }
}

/** Waits for the nth item that is as wanted, among those that happened and those that will. */
export async function waitFor<Item>(
  live: LiveWorkspace,
  wanted: Wanted<Item>,
  { timeout = '2s', nth = 1, signal }: WaitOptions = {},
): Promise<Item> {
  const { history, machine } = live;
  const limit = toMilliseconds(timeout);
  if (!Number.isInteger(nth) || nth < 1) throw new TypeError('nth must be a whole number, one or more.');
  signal?.throwIfAborted();
  live.refuseIfClosed();
  const before = matchesIn(history, wanted);
  const there = before[nth - 1];
  if (there !== undefined) return there;
  // When the time is over nothing leads back to the test any more.
  const asked = new Error();
  return new Promise((resolve, reject) => {
    let missing = nth - before.length;
    const end = () => {
      unwatch();
      cancelTimer();
      signal?.removeEventListener('abort', giveUp);
    };
    const giveUp = () => {
      end();
      reject(signal?.reason);
    };
    const unwatch = history.watch((entry) => {
      const item = wanted.select(entry);
      if (item === undefined || wanted.differences(item).length > 0) return;
      missing -= 1;
      if (missing > 0) return;
      end();
      resolve(item);
    });
    const cancelTimer = machine.setTimer(() => {
      end();
      reject(leadingTo(asked, new WaitTimeoutError(explain(history, wanted, nth, limit))));
    }, limit);
    signal?.addEventListener('abort', giveUp);
  });
}

/** The error with the stack of another one: with the line of the test that waits. */
function leadingTo({ stack = '' }: Error, error: WaitTimeoutError): WaitTimeoutError {
  const [, ...lines] = stack.split('\n');
  error.stack = [`${error.name}: ${error.message}`, ...lines].join('\n');
  return error;
}

/** The items that are as wanted, oldest first. */
export function matchesIn<Item>(history: History, { select, differences }: Wanted<Item>): readonly Item[] {
  return history
    .entries()
    .map(select)
    .filter((item) => item !== undefined)
    .filter((item) => differences(item).length === 0);
}

/** What is said where it did not happen in time. */
export function explain<Item>(history: History, wanted: Wanted<Item>, nth: number, limit: number): string {
  const items = history
    .entries()
    .map(wanted.select)
    .filter((item) => item !== undefined);
  const which = nth === 1 ? '' : ` (number ${nth} of them)`;
  const beginning = `There was no ${wanted.subject}${which} within ${limit} ms.`;
  if (items.length === 0) return `${beginning} Nothing of the kind happened at all.`;
  const misses = items
    .map((item) => ({ item, differences: wanted.differences(item) }))
    // The newest of those that differ least come first.
    .reverse()
    .sort((a, b) => a.differences.length - b.differences.length)
    .slice(0, missesShown)
    .map(({ item, differences }) => `  - ${wanted.describe(item)}: ${differences.join('; ') || 'as wanted'}`);
  const count =
    items.length === 1 ? 'The one that there was' : `The nearest of the ${items.length} that there were`;
  return [beginning, `${count}:`, ...misses].join('\n');
}
