/** A measurement of the heap after it was swept. */
export interface MemorySample {
  /** Since the soak began. */
  readonly seconds: number;
  /** `heapUsed`, in bytes. */
  readonly bytes: number;
}

/** What the samples of the second half come to, by a straight line through them. */
export interface MemoryTrend {
  readonly first: number;
  readonly last: number;
  /** In bytes a minute. */
  readonly slope: number;
  /** By how much the line rises over the second half, as a part of where it begins. */
  readonly growth: number;
  /** How many samples the second half has. */
  readonly samples: number;
  readonly verdict: 'flat' | 'growing' | 'too short to judge';
}

/** In bytes a minute. It is a leak where this is passed and the growth too. */
export const mostSlope = 2 * 1024 * 1024;
/** As a part of the heap, but no less than so many bytes: the heap of a short run breathes. */
export const mostGrowth = 0.05;
export const leastGrowth = 4 * 1024 * 1024;
/** How many samples of the second half make a line. */
const fewest = 3;

/** Judges whether the heap grows. The first half is for caches to fill and code to be compiled. */
export function trendOf(samples: readonly MemorySample[]): MemoryTrend {
  const half = samples.slice(Math.floor(samples.length / 2));
  const [first = { seconds: 0, bytes: 0 }] = half;
  const last = half.at(-1) ?? first;
  const perSecond = slopeOf(half);
  const slope = perSecond * 60;
  const growth = first.bytes === 0 ? 0 : (perSecond * (last.seconds - first.seconds)) / first.bytes;
  const grows = slope > mostSlope && growth * first.bytes > Math.max(leastGrowth, mostGrowth * first.bytes);
  const verdict = half.length < fewest ? 'too short to judge' : grows ? 'growing' : 'flat';
  return { first: samples[0]?.bytes ?? 0, last: last.bytes, slope, growth, samples: half.length, verdict };
}

/** Bytes a second, by least squares. */
function slopeOf(samples: readonly MemorySample[]): number {
  const count = samples.length;
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / count;
  const meanSeconds = mean(samples.map(({ seconds }) => seconds));
  const meanBytes = mean(samples.map(({ bytes }) => bytes));
  let [above, below] = [0, 0];
  for (const { seconds, bytes } of samples) {
    above += (seconds - meanSeconds) * (bytes - meanBytes);
    below += (seconds - meanSeconds) ** 2;
  }
  return below === 0 ? 0 : above / below;
}
