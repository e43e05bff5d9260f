/** The content type of OpenMetrics 1.0. */
export const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** One metric: what it measures, and a sample for each set of labels. */
export interface MetricFamily {
  /** Without the suffix that its type adds, such as `_total`. It ends with the unit, if there is one. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'info';
  readonly unit?: 'seconds';
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** What the type adds to the name: `_total`, `_bucket`, `_sum`, `_count` or `_info`. A gauge adds nothing. */
  readonly suffix?: '_total' | '_bucket' | '_sum' | '_count' | '_info';
  readonly labels?: Labels;
  readonly value: number;
}

export type Labels = Readonly<Record<string, string>>;

/** The metrics as OpenMetrics text. */
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
