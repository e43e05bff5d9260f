import type { Outcome } from '../calls.js';

/** How often a call's trace may be found: a success leaves one, what was refused none, and nobody knows of the rest. */
export function expectedTraces(outcome: Outcome): { readonly least: number; readonly most: number } {
  switch (outcome) {
    case 'success':
      return { least: 1, most: 1 };
    case 'unknown':
      return { least: 0, most: 1 };
    case 'rejected':
    case 'not_sent':
      return { least: 0, most: 0 };
  }
}

/**
 * What is wrong with the number of traces that a call has left, in words.
 *
 * @param what - The call, as in `the send t17`.
 * @param excused - Whether something later may have taken the trace away.
 */
export function problemsWithTraces(
  what: string,
  outcome: Outcome,
  found: number,
  excused = false,
): readonly string[] {
  const { least, most } = expectedTraces(outcome);
  const how = outcome === 'success' ? 'succeeded' : `ended as ${outcome}`;
  if (found < least && !excused) return [`${what} ${how} and has left no trace: lost`];
  if (found > most) return [`${what} ${how} and has left ${found} traces instead of ${most}: invented`];
  return [];
}

/** How many items there are of each key. */
export function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

/** The items of each key. */
export function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** Those that are there more than once. */
export function repeated<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly string[] {
  return [...countBy(items, keyOf)].filter(([, count]) => count > 1).map(([key]) => key);
}
