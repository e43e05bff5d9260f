/** What was measured of several, one below the other. */
export interface Section {
  readonly title: string;
  /** What the values are, as in `× bare fetch`. */
  readonly unit: string;
  readonly better: 'less' | 'more';
  readonly rows: readonly Row[];
}

export interface Row {
  readonly name: string;
  readonly value: number;
  /** The figure behind the value, in words. */
  readonly measured: string;
  /** Whether the chart shows that figure too, and not only to who points at the bar. */
  readonly shown?: boolean;
  readonly ours: boolean;
  /** What the value is to reach, where it is one of ours. */
  readonly target?: number | undefined;
}

/** Sections that belong together: one file of results, and one chart. */
export interface Report {
  readonly id: string;
  /** How the figures came about, in a sentence. */
  readonly method: string;
  readonly sections: readonly Section[];
}

/** Whether a row reaches its target; `undefined` where it has none. */
export function isMet({ better }: Section, { value, target }: Row): boolean | undefined {
  if (target === undefined) return undefined;
  return better === 'less' ? value <= target : value >= target;
}

/** Whether a row reaches its target, and otherwise how far from it the row is. */
export function describeVerdict(section: Section, row: Row): string {
  const met = isMet(section, row);
  if (met === undefined || row.target === undefined) return '';
  return met ? 'met' : `MISSED: ${formatValue(row.value / row.target)} × the target`;
}

export function describeTarget({ better }: Section, { target }: Row): string {
  return target === undefined ? '' : `${better === 'less' ? '≤' : '≥'} ${target}`;
}

export function formatValue(value: number): string {
  return value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0);
}
