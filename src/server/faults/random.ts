import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus, xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

/** Returns numbers from 0 up to, but not including, 1. */
export type Random = () => number;

/** A random source that can resume from a saved position. */
export interface RandomStream extends Random {
  /** The position: four whole numbers of 32 bits. */
  readonly position: () => readonly number[];
}

/** The default seed of a workspace. */
export const defaultRandomSeed = 1;

/**
 * Returns the random numbers of a seed and a stream, the same in each run. Each fault rule has its own stream, so that its
 * numbers do not depend on other rules.
 */
export function seededRandom(seed: number, stream: number): RandomStream {
  // The multiplier spreads neighbouring streams over all 32 bits: 2 to the power of 32, divided by the golden ratio.
  const generator = xoroshiro128plus((seed + Math.imul(stream, 0x9e3779b9)) | 0);
  // The first numbers of generators with similar seeds are similar.
  for (let skipped = 0; skipped < 8; skipped += 1) generator.next();
  return streamOf(generator);
}

/** Resumes from a position. */
export function randomFrom(position: readonly number[]): RandomStream {
  return streamOf(xoroshiro128plusFromState(position));
}

function streamOf(generator: ReturnType<typeof xoroshiro128plus>): RandomStream {
  return Object.assign(() => uniformFloat64(generator), { position: () => generator.getState() });
}
