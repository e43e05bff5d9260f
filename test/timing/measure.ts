import { type Difference, makeSample, type RandomBytes, type Sample } from './samples.js';
import type { Subject } from './subjects.js';

/** Durations in nanoseconds, those of the two classes apart. */
export interface Measurements {
  readonly first: Float64Array;
  readonly second: Float64Array;
}

/** Samples made at a time; few enough to stay in the cache. */
const batchSize = 1_000;

/**
 * Times a subject on fresh samples of the two classes in random order. Samples are made ahead, a batch at a time, and
 * one loop with one call in it times them all without knowing their classes: a loop that times the one class here and
 * the other there is compiled to two pieces of machine code, and it is then their placing in memory that is measured.
 *
 * @param batches - How many batches; the first few are not counted, so that what is timed has been compiled.
 */
export function measure(
  subject: Subject,
  difference: Difference,
  batches: number,
  random: RandomBytes,
): Measurements {
  const durations: number[] = [];
  const classes: boolean[] = [];
  for (let batch = -Math.ceil(batches / 10); batch < batches; batch += 1) {
    const ofSecond = Array.from(random(batchSize), (byte) => byte % 2 === 1);
    const samples = ofSecond.map((isSecond) => makeSample(difference, isSecond, random));
    const timed = timeEach(subject, samples);
    if (batch < 0) continue;
    for (const duration of timed) durations.push(duration);
    classes.push(...ofSecond);
  }
  return {
    first: Float64Array.from(durations.filter((_, index) => !classes[index])),
    second: Float64Array.from(durations.filter((_, index) => classes[index])),
  };
}

function timeEach({ judge, repetitions }: Subject, samples: readonly Sample[]): Float64Array {
  const durations = new Float64Array(samples.length);
  let accepted = 0;
  let index = 0;
  for (const sample of samples) {
    const start = performance.now();
    for (let repetition = 0; repetition < repetitions; repetition += 1) accepted += Number(judge(sample));
    durations[index] = (performance.now() - start) * 1e6;
    index += 1;
  }
  // Used, so that no compiler leaves the judging out. Signatures are right in both classes, or in none.
  if (accepted !== 0 && accepted !== samples.length * repetitions) throw new Error('The samples are wrong.');
  return durations;
}

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
