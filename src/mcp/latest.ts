import type { ControlOperation, QueryParameters } from '../server/http/control/control-operation.js';
import type { Call } from './control.js';

interface ReadPage<Item> {
  readonly data: readonly Item[];
  readonly more: boolean;
  readonly cursor: string;
}

/** How many items a request asks for. */
const pageSize = 1_000;

/** The latest items of a list of the control surface that is oldest first, and how many older ones match. */
export async function latestOf<Path extends string, Query extends QueryParameters, Item>(
  call: Call,
  operation: ControlOperation<Path, Query, undefined, ReadPage<Item>>,
  query: Readonly<Record<string, string | number | undefined>>,
  { limit, keep = () => true }: { readonly limit: number; readonly keep?: (item: Item) => boolean },
): Promise<{ readonly items: readonly Item[]; readonly older: number }> {
  let items: readonly Item[] = [];
  let older = 0;
  let cursor: string | undefined;
  for (;;) {
    const page = await call.ask(operation, { query: { ...query, limit: pageSize, cursor } });
    const all = [...items, ...page.data.filter(keep)];
    items = all.slice(-limit);
    older += all.length - items.length;
    if (!page.more) return { items, older };
    cursor = page.cursor;
  }
}
