import type { BulkCheckpoint, IndexRange } from './checkpoint.js';

/** Reads what a store gave as the checkpoint of an operation; `undefined` where it is none. */
export function readCheckpoint(value: unknown, operation: string): BulkCheckpoint | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { version, operation: ofOperation, finished, unknown } = value as Partial<Record<string, unknown>>;
  if (version !== 1 || ofOperation !== operation || !areRanges(finished) || !areRanges(unknown))
    return undefined;
  return { version, operation, finished, unknown };
}

function areRanges(value: unknown): value is readonly IndexRange[] {
  if (!Array.isArray(value)) return false;
  let before = -2; // the first range may begin at 0, and a gap stands between any two
  for (const range of value) {
    if (!Array.isArray(range) || range.length !== 2) return false;
    const [first, last]: unknown[] = range;
    if (!isIndex(first) || !isIndex(last) || first < before + 2 || last < first) return false;
    before = last;
  }
  return true;
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
