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
  /** The suffix of the type: `_total`, `_bucket`, `_sum`, `_count` or `_info`. A gauge has none. */
  readonly suffix?: '_total' | '_bucket' | '_sum' | '_count' | '_info';
  readonly labels?: Labels;
  readonly value: number;
}

export type Labels = Readonly<Record<string, string>>;

/** Formats the metrics as OpenMetrics text. */
export function openMetricsText(families: readonly MetricFamily[]): string {
  return [...families.flatMap(linesOf), '# EOF', ''].join('\n');
}

function linesOf({ name, type, unit, help, samples }: MetricFamily): readonly string[] {
  return [
    `# TYPE ${name} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${escaped(help)}`,
    ...samples.map(
      ({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelsText(labels)} ${numberText(value)}`,
    ),
  ];
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}
