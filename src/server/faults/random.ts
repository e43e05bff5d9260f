import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus, xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

/** The default seed of a workspace. */
export const defaultRandomSeed = 1;

/** Random numbers, by the position of the next one: four whole numbers of 32 bits. */
export interface RandomNumbers {
  random: readonly number[];
}

/**
 * Returns the first position of a seed and a stream, the same in each run. Each fault rule has its own stream, so that its
 * numbers do not depend on other rules.
 */
export function firstPosition(seed: number, stream: number): readonly number[] {
  // The multiplier spreads neighbouring streams over all 32 bits: 2 to the power of 32, divided by the golden ratio.
  const generator = xoroshiro128plus((seed + Math.imul(stream, 0x9e3779b9)) | 0);
  // The first numbers of generators with similar seeds are similar.
  for (let skipped = 0; skipped < 8; skipped += 1) generator.next();
  return generator.getState();
}

/** Draws the next number from 0 up to, but not including, 1. */
export function draw(numbers: RandomNumbers): number {
  const generator = xoroshiro128plusFromState(numbers.random);
  const drawn = uniformFloat64(generator);
  numbers.random = generator.getState();
  return drawn;
}
