import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus, xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

/** Gives numbers from 0 up to, but not including, 1. */
export type Random = () => number;

/** A source of such numbers that can go on later where it stands now. */
export interface RandomStream extends Random {
  /** Where it stands: four whole numbers of 32 bits. */
  readonly position: () => readonly number[];
}

/** What a workspace draws from unless told. */
export const defaultRandomSeed = 1;

/**
 * The numbers that belong to a seed and a stream of it, the same at each run. Each user has a stream of its own, so that
 * what one draws does not depend on when the others do.
 */
export function seededRandom(seed: number, stream: number): RandomStream {
  // The multiplier spreads neighbouring streams over all 32 bits: 2 to the power of 32, divided by the golden ratio.
  const generator = xoroshiro128plus((seed + Math.imul(stream, 0x9e3779b9)) | 0);
  // A generator's first numbers are much like those of a generator whose seed is near.
  for (let skipped = 0; skipped < 8; skipped += 1) generator.next();
  return streamOf(generator);
}

/** The numbers that come after a position. */
export function randomFrom(position: readonly number[]): RandomStream {
  return streamOf(xoroshiro128plusFromState(position));
}

function streamOf(generator: ReturnType<typeof xoroshiro128plus>): RandomStream {
  return Object.assign(() => uniformFloat64(generator), { position: () => generator.getState() });
}
