import type { IndexRange } from './checkpoint.js';

/** The states of the items in a checkpoint of any version. */
export interface SavedStandings {
  readonly done: readonly IndexRange[];
  readonly rejected: readonly IndexRange[];
  readonly unknown: readonly IndexRange[];
}

/** Parses the checkpoint of an operation; `undefined` if it is not one. */
export function readCheckpoint(value: unknown, operation: string): SavedStandings | undefined {
  const saved: Readonly<Record<string, unknown>> = Object(value); // anything but an object has no operation
  if (saved.operation !== operation) return undefined;
  if (saved.version === 1) return standings(saved.finished, [], saved.unknown);
  return saved.version === 2 ? standings(saved.done, saved.rejected, saved.unknown) : undefined;
}

function standings(done: unknown, rejected: unknown, unknown: unknown): SavedStandings | undefined {
  if (!areRanges(done) || !areRanges(rejected) || !areRanges(unknown)) return undefined;
  return { done, rejected, unknown };
}

function areRanges(value: unknown): value is readonly IndexRange[] {
  if (!Array.isArray(value)) return false;
  let before = -2; // the first range may begin at 0, not before, and any two have a gap between them
  for (const range of value) {
    if (!Array.isArray(range) || range.length !== 2) return false;
    const [first, last]: unknown[] = range;
    if (!isWhole(first) || !isWhole(last) || first < before + 2 || last < first) return false;
    before = last;
  }
  return true;
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
