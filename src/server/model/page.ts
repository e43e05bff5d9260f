import { invalidRequest } from './service-error.js';

/** The default and the largest number of items on a page. */
export const pageSize = 1_000;
export const largestPage = 10_000;

/** Options of a list: where the page begins, and its size. */
export interface PageOptions {
  /** The largest number of items, up to 10,000. Default: 1,000. */
  readonly limit?: number | undefined;
  /** The `cursor` of the previous page. Default: the beginning of the list. */
  readonly cursor?: string | undefined;
}

/**
 * One page of a list.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type ContactRecord, type Page } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ contacts: [{ phone: '+15551234567' }, { phone: '+442071838750' }] });
 * let page: Page<ContactRecord> | undefined;
 * do {
 *   page = await server.contacts.list({}, { limit: 1, cursor: page?.cursor });
 *   for (const { phone } of page.data) console.log(phone);
 * } while (page.more);
 * ```
 */
export interface Page<Item> {
  readonly data: readonly Item[];
  /** Whether more items follow. */
  readonly more: boolean;
  /** The position of the end of this page. Pass it to read the next page. It is valid until the server closes. */
  readonly cursor: string;
}

/** Returns the requested page of items that have numbers, in the order of the numbers. */
export function pageOfNumbered<Item>(
  numbered: readonly (readonly [number: number, item: Item])[],
  { limit = pageSize, cursor }: PageOptions,
): Page<Item> {
  if (!Number.isInteger(limit) || limit < 0 || limit > largestPage) {
    throw invalidRequest([{ field: 'limit', message: `must be a whole number, at most ${largestPage}` }]);
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
  throw invalidRequest([{ field: 'cursor', message: 'is not the cursor of a page' }]);
}
