import { invalidRequest } from './service-error.js';

/** The default and the largest number of items on a page. */
export const pageSize = 1_000;
export const largestPage = 10_000;

/** The size at which a page takes no further item. In bytes. */
export const pageBytes = 16 * 1024 * 1024;

/** Options of a list: where the page begins, and its size. */
export type PageOptions = {
  /** The largest number of items, up to 10,000. Default: 1,000. */
  readonly limit?: number | undefined;
  /** The `cursor` of the previous page. Default: the beginning of the list. */
  readonly cursor?: string | undefined;
};

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
  /** The items, up to the limit. Fewer if they are large: a page takes no further item once it has 16 MiB. */
  readonly data: readonly Item[];
  /** Whether more items follow. */
  readonly more: boolean;
  /**
   * The position of the end of this page. Pass it to read the next page. It is valid until the server closes. With a shared
   * store, it is valid at every replica, and after a restart.
   */
  readonly cursor: string;
}

/** The items with a number after `after`, up to `limit`. */
export interface PageRange {
  readonly after: number;
  readonly limit: number;
}

/** The values that fields of a record must have. Undefined fields can have any value. */
export type Fields<Kept, Name extends keyof Kept> = { readonly [Each in Name]?: Kept[Each] | undefined };

/** @throws ServiceError if an option is invalid. */
export function rangeOf({ limit = pageSize, cursor = '0' }: PageOptions): PageRange {
  if (!Number.isInteger(limit) || limit < 0 || limit > largestPage) {
    throw invalidRequest([{ field: 'limit', message: `must be a whole number, at most ${largestPage}` }]);
  }
  if (/^\d{1,15}$/.test(cursor)) return { after: Number(cursor), limit };
  throw invalidRequest([{ field: 'cursor', message: 'is not the cursor of a page' }]);
}

/** Returns a page of items in the order of their numbers. */
export function pageOf<Item>(
  numbered: Iterable<readonly [number: number, item: Item]>,
  { after, limit }: PageRange,
  sizeOf: (item: Item) => number,
): Page<Item> {
  const data: Item[] = [];
  let [last, bytes] = [after, 0];
  for (const [number, item] of numbered) {
    if (number <= after) continue;
    if (data.length >= limit || bytes >= pageBytes) return { data, more: true, cursor: String(last) };
    data.push(item);
    last = number;
    bytes += sizeOf(item);
  }
  return { data, more: false, cursor: String(last) };
}

/** Reads a whole list, page by page. */
export async function allOf<Item>(read: (range: PageRange) => Promise<Page<Item>>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let after = 0; ; ) {
    const { data, more, cursor } = await read({ after, limit: largestPage });
    for (const item of data) items.push(item);
    if (!more) return items;
    after = Number(cursor);
  }
}
