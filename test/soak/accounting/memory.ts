/** A measurement of the heap after it was swept. */
export interface MemorySample {
  /** Since the soak began. */
  readonly seconds: number;
  /** `heapUsed`, in bytes. */
  readonly bytes: number;
}

/** How the heap grows over the second half. The first half is for caches to fill and code to be compiled. */
export interface MemoryTrend {
  readonly first: number;
  readonly last: number;
  /** In bytes a minute. */
  readonly slope: number;
  /** As a part of the heap. */
  readonly growth: number;
  readonly samples: number;
  readonly verdict: 'flat' | 'growing' | 'too short to judge';
}

/** A leak passes all three: in bytes a minute, as a part of the heap, and in bytes, because the heap of a short run breathes. */
export const mostSlope = 2 * 1024 * 1024;
export const mostGrowth = 0.05;
export const leastGrowth = 4 * 1024 * 1024;
/** How many samples of the second half are enough. */
const fewest = 3;

/** Compares the smallest heap of the last quarter with that of the quarter before. */
export function trendOf(samples: readonly MemorySample[]): MemoryTrend {
  const half = samples.slice(Math.floor(samples.length / 2));
  const middle = Math.ceil(half.length / 2);
  const [before, after] = [smallest(half.slice(0, middle)), smallest(half.slice(middle))];
  const grown = after.bytes - before.bytes;
  const slope = grown === 0 ? 0 : (grown / (after.seconds - before.seconds)) * 60;
  const growth = grown / before.bytes;
  const grows = slope > mostSlope && grown > Math.max(leastGrowth, mostGrowth * before.bytes);
  const verdict = half.length < fewest ? 'too short to judge' : grows ? 'growing' : 'flat';
  const [first, last] = [samples[0]?.bytes ?? 0, samples.at(-1)?.bytes ?? 0];
  return { first, last, slope, growth, samples: half.length, verdict };
}

function smallest(samples: readonly MemorySample[]): MemorySample {
  return samples.reduce((one, other) => (other.bytes < one.bytes ? other : one), {
    seconds: 0,
    bytes: Number.POSITIVE_INFINITY,
  });
}
