/** The content type of OpenMetrics 1.0. */
export const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** One metric: what it measures, and a sample for each set of labels. */
export interface MetricFamily {
  /** The name without the suffix of its type, such as `_total`. It ends with the unit, if the metric has one. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'info';
  readonly unit?: 'seconds';
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** Which part of a histogram it is. */
  readonly part?: 'bucket' | 'sum' | 'count';
  readonly labels?: Labels;
  readonly value: number;
}

export type Labels = Readonly<Record<string, string>>;

/** Formats the metrics as OpenMetrics text. */
export function openMetricsText(families: readonly MetricFamily[]): string {
  return [...families.flatMap(linesOf), '# EOF', ''].join('\n');
}

/** The suffix of a sample that has no part. */
const suffixes = { counter: '_total', info: '_info', gauge: '', histogram: '' } as const;

function linesOf({ name, type, unit, help, samples }: MetricFamily): readonly string[] {
  return [
    `# TYPE ${name} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${escaped(help)}`,
    ...samples.map(({ part, labels = {}, value }) => {
      const suffix = part === undefined ? suffixes[type] : `_${part}`;
      return `${name}${suffix}${labelsText(labels)} ${value}`;
    }),
  ];
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** A value for each set of labels. */
type ByLabels<Value> = Map<string, Value & { readonly labels: Labels }>;

/** The value of these labels, made by `first` in the beginning. */
function valueWith<Value>(values: ByLabels<Value>, labels: Labels, first: () => Value): Value {
  const key = Object.values(labels).join('\n');
  const value = values.get(key) ?? { ...first(), labels };
  values.set(key, value);
  return value;
}

/** Counts by labels. */
export class Counter {
  readonly #counts: ByLabels<{ count: number }> = new Map();

  add(labels: Labels): void {
    valueWith(this.#counts, labels, () => ({ count: 0 })).count += 1;
  }

  samples(): readonly Sample[] {
    return [...this.#counts.values()].map(({ labels, count }) => ({ labels, value: count }));
  }
}

/** The upper limits of the buckets, in seconds, as the format writes them. The last bucket has no limit. */
const limits = '0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1.0 2.5 5.0 10.0 +Inf'.split(' ');
const limitValues = limits.map((limit) => (limit === '+Inf' ? Infinity : Number(limit)));

/** Durations by labels. */
export class DurationHistogram {
  readonly #measured: ByLabels<{ buckets: number[]; sum: number }> = new Map();

  /** Adds a duration in seconds. */
  add(labels: Labels, seconds: number): void {
    const measured = valueWith(this.#measured, labels, () => ({ buckets: limits.map(() => 0), sum: 0 }));
    const bucket = limitValues.findIndex((limit) => seconds <= limit);
    measured.buckets[bucket] = (measured.buckets[bucket] ?? 0) + 1;
    measured.sum += seconds;
  }

  samples(): readonly Sample[] {
    return [...this.#measured.values()].flatMap(({ labels, buckets, sum }) => {
      let total = 0;
      const cumulative = buckets.map((count, index): Sample => {
        total += count;
        return { part: 'bucket', labels: { ...labels, le: limits[index] ?? '+Inf' }, value: total };
      });
      return [...cumulative, { part: 'count', labels, value: total }, { part: 'sum', labels, value: sum }];
    });
  }
}
