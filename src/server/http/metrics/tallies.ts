import type { Labels, Sample } from './exposition.js';

/** Counts by labels. */
export class Counter {
  readonly #counts = new Map<string, { readonly labels: Labels; count: number }>();

  add(labels: Labels): void {
    const key = Object.values(labels).join('\n');
    const counted = this.#counts.get(key);
    if (counted === undefined) this.#counts.set(key, { labels, count: 1 });
    else counted.count += 1;
  }

  samples(): readonly Sample[] {
    return [...this.#counts.values()].map(({ labels, count }) => ({
      suffix: '_total',
      labels,
      value: count,
    }));
  }
}

/** The upper limits of the buckets, in seconds, as the format writes them. The last bucket has no limit. */
const limits = [
  '0.001',
  '0.0025',
  '0.005',
  '0.01',
  '0.025',
  '0.05',
  '0.1',
  '0.25',
  '0.5',
  '1.0',
  '2.5',
  '5.0',
  '10.0',
  '+Inf',
];
const limitValues = limits.map((limit) => (limit === '+Inf' ? Infinity : Number(limit)));

/** Durations by labels. */
export class DurationHistogram {
  readonly #measured = new Map<
    string,
    { readonly labels: Labels; readonly buckets: number[]; sum: number }
  >();

  /** Adds a duration in seconds. */
  add(labels: Labels, seconds: number): void {
    const key = Object.values(labels).join('\n');
    let measured = this.#measured.get(key);
    if (measured === undefined) {
      measured = { labels, buckets: limits.map(() => 0), sum: 0 };
      this.#measured.set(key, measured);
    }
    const bucket = limitValues.findIndex((limit) => seconds <= limit);
    measured.buckets[bucket] = (measured.buckets[bucket] ?? 0) + 1;
    measured.sum += seconds;
  }

  samples(): readonly Sample[] {
    return [...this.#measured.values()].flatMap(({ labels, buckets, sum }) => {
      let total = 0;
      const cumulative = buckets.map((count, index): Sample => {
        total += count;
        return { suffix: '_bucket', labels: { ...labels, le: limits[index] ?? '+Inf' }, value: total };
      });
      return [
        ...cumulative,
        { suffix: '_count', labels, value: total },
        { suffix: '_sum', labels, value: sum },
      ];
    });
  }
}
