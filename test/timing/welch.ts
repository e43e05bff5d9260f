import type { Measurements } from './measure.js';

/** How far the second class lies above the first. */
export interface Separation {
  /** Welch's t: the difference of the means in standard errors. */
  readonly t: number;
  /** The difference of the means. */
  readonly nanoseconds: number;
}

/**
 * As dudect does: the slowest measurements of both classes are dropped by one bound for both, since they tell of
 * interrupts and collections rather than of the subject, and that for a number of bounds from half the measurements to
 * all of them. Gives the separation that is largest in standard errors.
 */
export function largestSeparation({ first, second }: Measurements): Separation {
  const sorted = Float64Array.from([...first, ...second]).sort();
  const bounds = [...shares].map((share) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN);
  return (
    bounds
      .map((bound) => [momentsUpTo(bound, first), momentsUpTo(bound, second)] as const)
      // Where the classes lie apart altogether, a low bound leaves nothing of one of them.
      .filter((classes) => classes.every(({ count }) => count > 1))
      .map(([one, other]) => separation(one, other))
      .reduce((largest, each) => (Math.abs(each.t) > Math.abs(largest.t) ? each : largest))
  );
}

/** Closer together towards the slow end, where the outliers are. */
const shares = [...Array.from({ length: 20 }, (_, index) => 1 - 0.5 ** ((index + 2) / 2)), 1];

interface Moments {
  readonly count: number;
  readonly mean: number;
  readonly variance: number;
}

function separation(first: Moments, second: Moments): Separation {
  const nanoseconds = second.mean - first.mean;
  const error = Math.sqrt(first.variance / first.count + second.variance / second.count);
  return { t: error === 0 ? 0 : nanoseconds / error, nanoseconds };
}

function momentsUpTo(bound: number, sample: Float64Array): Moments {
  const kept = sample.filter((value) => value <= bound);
  const mean = kept.reduce((sum, value) => sum + value, 0) / kept.length;
  const variance = kept.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (kept.length - 1);
  return { count: kept.length, mean, variance };
}
