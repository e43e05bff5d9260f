/** Welch's t of two samples: how many standard errors their means lie apart. */
export function welchT(one: readonly number[], other: readonly number[]): number {
  const first = momentsOf(one);
  const second = momentsOf(other);
  const error = Math.sqrt(first.variance / one.length + second.variance / other.length);
  return error === 0 ? 0 : (first.mean - second.mean) / error;
}

function momentsOf(sample: readonly number[]): { readonly mean: number; readonly variance: number } {
  const mean = sample.reduce((sum, value) => sum + value, 0) / sample.length;
  const variance = sample.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (sample.length - 1);
  return { mean, variance };
}
