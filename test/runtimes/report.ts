import type { CheckResult } from './portable-suite.js';

/** What was found on one runtime, with the package loaded in one way. */
export interface Row {
  readonly runtime: string;
  readonly version: string;
  readonly loading: string;
  readonly milliseconds: number;
  readonly results: readonly CheckResult[];
}

/** Rows under their headings, each column as wide as it needs to be. */
function aligned(lines: readonly (readonly string[])[]): string {
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => line.map((text, column) => text.padEnd(widths?.[column] ?? 0)).join('  '))
    .join('\n');
}

/** A table of passed and failed checks, by runtime and part of the suite. */
export function table(rows: readonly Row[]): string {
  const parts = [...new Set(rows.flatMap(({ results }) => results.map(({ part }) => part)))];
  return aligned([
    ['runtime', 'version', 'package as', ...parts, 'seconds'],
    ...rows.map(({ runtime, version, loading, milliseconds, results }) => [
      runtime,
      version,
      loading,
      ...parts.map((part) => cell(results.filter((result) => result.part === part))),
      (milliseconds / 1_000).toFixed(1),
    ]),
  ]);
}

function cell(results: readonly CheckResult[]): string {
  if (results.length === 0) return '-';
  const failed = results.filter(({ failure }) => failure !== undefined).length;
  return failed === 0 ? `${results.length}` : `${results.length - failed}, ${failed} FAILED`;
}

/** The failures of a row, each with where and why. */
export function describeFailures({ runtime, loading, results }: Row): string {
  return results
    .filter(({ failure }) => failure !== undefined)
    .map(({ part, check, failure = '' }) => {
      const why = failure.length > 2_000 ? `${failure.slice(0, 2_000)}…` : failure;
      return `FAILED on ${runtime} (${loading}), ${part}: ${check}\n  ${why.replaceAll('\n', '\n  ')}\n`;
    })
    .join('');
}
