import { type Page, type PageOptions, pageOfNumbered } from '../model/page.js';
import type { Numbering } from '../workspace/numbering.js';

/** Returns the requested page of the items that match. */
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
