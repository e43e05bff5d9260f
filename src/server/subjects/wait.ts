import { maskPhone } from '../../contract/phone.js';
import { describeErrorClass, MessagingAutomationError } from '../../foundation/base-error.js';
import {
  aSignal,
  aText,
  aWholeNumber,
  checkOptionsOfCall,
  type OptionCheck,
  type OptionChecks,
} from '../../foundation/options.js';
import type { JournalEntry } from '../model/journal-entry.js';
import { aDuration, type Duration, toMilliseconds } from '../time/duration.js';
import type { History } from '../workspace/history.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';

/** Options of `waitFor`: the timeout, and which match to wait for. */
export type WaitOptions = {
  /** The timeout, by the machine's clock, even if the workspace's clock is frozen. Default: 2 seconds. */
  readonly timeout?: Duration | undefined;
  /** Which match to wait for, counted from 1. Matches before the call count. Default: 1. */
  readonly nth?: number | undefined;
  /** Aborts the wait, which then rejects with the signal's reason. Default: none. */
  readonly signal?: AbortSignal | undefined;
};

/** Describes and selects the items that a wait waits for. */
export interface Wanted<Item> {
  /** The description, such as `delivery with event "message.received"`. */
  readonly subject: string;
  /** Returns the item of a journal entry. Undefined if the entry has none. */
  readonly select: (entry: JournalEntry) => Item | undefined;
  /** Describes why the item does not match. Empty for a match. */
  readonly differences: (item: Item) => readonly string[];
  /** Describes the item in one line of an error. */
  readonly describe: (item: Item) => string;
  /** Called with the item that ends a wait, before another wait can match it. */
  readonly take?: (item: Item) => void;
  /** Returns the message of a wait that timed out after that many milliseconds. Default: it lists the closest items. */
  readonly explain?: (limit: number) => Promise<string>;
}

/** How many of the closest items an error lists. */
const missesShown = 5;

/**
 * The error of a `waitFor` that timed out. Its message lists the closest items, and how each differs from the filter.
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

/** The error of a wait whose workspace closed, or whose reader disconnected. */
export class WaitEndedError extends MessagingAutomationError {
  static {
    describeErrorClass(this, 'WaitEndedError');
  }
}

const waitChecks: OptionChecks = { timeout: aDuration, nth: aWholeNumber(1), signal: aSignal };

/** Waits for the nth item that matches, past or future. */
export async function waitFor<Item>(
  live: LiveWorkspace,
  wanted: Wanted<Item>,
  options: WaitOptions = {},
): Promise<Item> {
  checkOptionsOfCall('waitFor', options, waitChecks);
  const { timeout = '2s', nth = 1, signal } = options;
  const { history, machine, waits } = live;
  const limit = toMilliseconds(timeout);
  signal?.throwIfAborted();
  live.life.refuseIfClosed();
  // Capture the stack now: when the timeout fires, no stack frame belongs to the test.
  const asked = new Error();
  const behind = live.journal.current();
  // In memory this function must not await: a test can advance its fake timers right after the call.
  if (behind !== undefined) await behind;
  const before = matchesIn(history, wanted);
  const found = before[nth - 1];
  if (found !== undefined) {
    wanted.take?.(found);
    return found;
  }
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    let missing = nth - before.length;
    const end = () => {
      unwatch();
      leave();
      cancelTimer();
      signal?.removeEventListener('abort', giveUp);
    };
    const giveUp = () => {
      end();
      reject(signal?.reason);
    };
    const unwatch = history.watch((entry) => {
      const item = matchOf(wanted, entry);
      if (item === undefined) return;
      missing -= 1;
      if (missing > 0) return;
      end();
      wanted.take?.(item);
      resolve(item);
    });
    const timedOut = async (): Promise<never> => {
      const message = (await wanted.explain?.(limit)) ?? explain(history, wanted, nth, limit);
      throw leadingTo(asked, new WaitTimeoutError(message));
    };
    const cancelTimer = machine.setTimer(() => {
      end();
      resolve(timedOut());
    }, limit);
    const leave = waits.add(() => {
      end();
      const message = `The workspace closed during the wait for a ${wanted.subject}.`;
      reject(leadingTo(asked, new WaitEndedError(message)));
    });
    signal?.addEventListener('abort', giveUp);
  });
}

/** Copies the stack of another error, which shows the line of the test that waits. */
function leadingTo({ stack = '' }: Error, error: Error): Error {
  const [, ...lines] = stack.split('\n');
  error.stack = [`${error.name}: ${error.message}`, ...lines].join('\n');
  return error;
}

/** Returns the items that match, oldest first. */
export async function currentMatches<Item>(
  { history, journal }: LiveWorkspace,
  wanted: Wanted<Item>,
): Promise<readonly Item[]> {
  await journal.current();
  return matchesIn(history, wanted);
}

function matchesIn<Item>(history: History, wanted: Wanted<Item>): readonly Item[] {
  return history
    .entries()
    .map((entry) => matchOf(wanted, entry))
    .filter((item) => item !== undefined);
}

/** Returns the item of a journal entry, if it matches. */
export function matchOf<Item>({ select, differences }: Wanted<Item>, entry: JournalEntry): Item | undefined {
  const item = select(entry);
  return item !== undefined && differences(item).length === 0 ? item : undefined;
}

/** Returns the message of a wait that timed out. */
export function explain<Item>(history: History, wanted: Wanted<Item>, nth: number, limit: number): string {
  const items = history
    .entries()
    .map(wanted.select)
    .filter((item) => item !== undefined);
  const which = nth === 1 ? '' : ` (number ${nth} of them)`;
  const beginning = `There was no ${wanted.subject}${which} within ${limit} ms.`;
  if (items.length === 0) return `${beginning} The journal has no entry of this kind.`;
  const misses = items
    .map((item) => ({ item, differences: wanted.differences(item) }))
    // The closest items come first. Of equally close ones, the newest comes first.
    .reverse()
    .sort((a, b) => a.differences.length - b.differences.length)
    .slice(0, missesShown)
    .map(({ item, differences }) => `  - ${wanted.describe(item)}: ${differences.join('; ') || 'matches'}`);
  const count = items.length === 1 ? 'The only candidate' : `The closest of ${items.length} candidates`;
  return [beginning, `${count}:`, ...misses].join('\n');
}

/** A field of a filter. */
interface FilterField<Item> {
  /** The name of the field in messages. */
  readonly name: string;
  /** The item's value for it. */
  readonly of: (item: Item) => unknown;
  /** Compares the item with the wanted value. Default: equality. */
  readonly meets?: (item: Item) => boolean;
  /** What the wanted value must be. Default: a text. */
  readonly check?: OptionCheck;
}

/**
 * Turns a filter into the description of what a wait waits for.
 *
 * @param thing What the filter selects, such as `delivery`.
 * @param fields Each field that the filter can have.
 * @throws ConfigurationError if the filter has another field, which would match everything, or a value of another kind.
 */
export function wantedBy<Item>(
  thing: string,
  filter: object,
  fields: Readonly<Record<string, FilterField<Item>>>,
  { select, describe }: Pick<Wanted<Item>, 'select' | 'describe'>,
): Wanted<Item> {
  const checks = Object.entries(fields).map(([field, { check = aText }]) => [field, check]);
  checkOptionsOfCall('The filter', filter, Object.fromEntries(checks));
  const criteria = Object.entries(fields)
    .map(([field, criterion]) => ({ ...criterion, wanted: Reflect.get(filter, field) }))
    .filter(({ wanted }) => wanted !== undefined);
  const inWords = criteria.map(({ name, wanted }) => `${name} ${shown(wanted)}`).join(' and ');
  return {
    subject: criteria.length === 0 ? thing : `${thing} with ${inWords}`,
    select,
    describe,
    differences: (item) =>
      criteria
        .filter(({ wanted, of, meets = () => of(item) === wanted }) => !meets(item))
        .map(({ name, wanted, of }) => {
          const [there, not] = [shown(of(item)), shown(wanted)];
          return there === not
            ? `its ${name} differs, but is also shown as ${there}`
            : `its ${name} is ${there}, not ${not}`;
        }),
  };
}

export const aTextOrPattern: OptionCheck = [
  (value) => typeof value === 'string' || Object.prototype.toString.call(value) === '[object RegExp]',
  'a text or a regular expression',
];

/** The field of a filter that names a contact, by id or phone. */
export function contactField<Item>(
  contact: string | undefined,
  of: (item: Item) => { readonly contactId?: unknown; readonly phone?: unknown },
): FilterField<Item> {
  return { name: 'contact', of: (item) => of(item)[isPhone(contact) ? 'phone' : 'contactId'] };
}

/** Whether the name of a contact is its phone, and not its id. */
export function isPhone(contact: string | undefined): boolean {
  return contact?.startsWith('+') === true;
}

/** Formats a value for a message. It masks phone numbers, because a test's log may be public. */
export function shown(value: unknown): string {
  const isPattern = Object.prototype.toString.call(value) === '[object RegExp]';
  const text = isPattern ? String(value) : (JSON.stringify(value) ?? 'absent');
  return text.replace(/\+\d{7,15}/g, maskPhone);
}
