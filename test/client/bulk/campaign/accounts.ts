import type { BulkCheckpoint, IndexRange } from 'messaging-automation';

/** What is known after a campaign, from both of its ends. */
export interface Evidence {
  readonly items: number;
  /** How often the service carried out the send of each item. */
  readonly sent: ReadonlyMap<number, number>;
  readonly checkpoint: BulkCheckpoint;
  /** The items that the last run named, each with its status and its reason. */
  readonly named: ReadonlyMap<number, { readonly status: string; readonly reason: string }>;
}

/** Holds the two ends against each other: each item was sent once, or is named with its reason. */
export function discrepancies({ items, sent, checkpoint, named }: Evidence): readonly string[] {
  const found: string[] = [];
  const done = numbersOf(checkpoint.done);
  const rejected = numbersOf(checkpoint.rejected);
  const unknown = numbersOf(checkpoint.unknown);
  for (let index = 0; index < items; index += 1) {
    const times = sent.get(index) ?? 0;
    const name = named.get(index);
    const lists = [done, rejected, unknown].filter((list) => list.has(index)).length;
    if (times > 1) found.push(`item ${index} was sent ${times} times`);
    if (lists !== 1) found.push(`item ${index} is in ${lists} lists of the checkpoint`);
    if (done.has(index) && times !== 1) found.push(`item ${index} is done, and was sent ${times} times`);
    if (rejected.has(index) && times > 0) found.push(`item ${index} is rejected, and was sent`);
    if (unknown.has(index) && name?.status !== 'unknown')
      found.push(`item ${index} is unknown, and nobody says so`);
    if (name?.reason === '') found.push(`item ${index} is named without a reason`);
  }
  return found;
}

function numbersOf(ranges: readonly IndexRange[]): ReadonlySet<number> {
  const numbers = new Set<number>();
  for (const [first, last] of ranges)
    for (let number = first; number <= last; number += 1) numbers.add(number);
  return numbers;
}
