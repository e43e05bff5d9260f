import { invalidRequest } from '../model/service-error.js';
import type { Numbering } from '../workspace/numbering.js';

/** How many things a page has unless told, and at the most. */
export const pageSize = 1_000;
export const largestPage = 10_000;

/**
 * Where a page begins, and how many things it may have.
 *
 * @example
 * ```ts
 * import type { PageOptions } from 'messaging-automation/server';
 *
 * const theFirstTen: PageOptions = { limit: 10 };
 * ```
 */
export interface PageOptions {
  /** How many at the most, up to 10,000; 1,000 unless told. */
  readonly limit?: number | undefined;
  /** Where an earlier page ended: its `cursor`. */
  readonly cursor?: string | undefined;
}

/**
 * A part of a list.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type ContactRecord, type Page } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ contacts: [{ phone: '+15551234567' }] });
 * const page: Page<ContactRecord> = await server.contacts.list({}, { limit: 1 });
 * console.log(page.data.length, page.more); // 1 false
 * ```
 */
export interface Page<Item> {
  readonly data: readonly Item[];
  /** Whether there are more behind it. */
  readonly more: boolean;
  /** Where it ends: with it, the next page begins behind it. It is good for as long as the server lives. */
  readonly cursor: string;
}

/** The part of a list that is asked for, of those things alone that are wanted. */
export function pageOf<Item extends { readonly id: string }>(
  numbering: Numbering,
  items: readonly Item[],
  isWanted: (item: Item) => boolean,
  options: PageOptions,
): Page<Item> {
  return pageOfNumbered(
    numbering.of(items).filter(([, item]) => isWanted(item)),
    options,
  );
}

/** The same of things that have their numbers already, in the order of those. */
export function pageOfNumbered<Item>(
  numbered: readonly (readonly [number: number, item: Item])[],
  { limit = pageSize, cursor }: PageOptions,
): Page<Item> {
  if (!Number.isInteger(limit) || limit < 0 || limit > largestPage) {
    throw invalidRequest([{ field: 'limit', message: `must be a whole number, ${largestPage} at the most` }]);
  }
  const after = cursor === undefined ? 0 : placeOf(cursor);
  const behind = numbered.filter(([number]) => number > after);
  const shown = behind.slice(0, limit);
  const [last] = shown.at(-1) ?? [after];
  return {
    data: shown.map(([, item]) => item),
    more: behind.length > shown.length,
    cursor: String(last),
  };
}

function placeOf(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw invalidRequest([{ field: 'cursor', message: 'is not one that a page ended with' }]);
}
