import type { CheckResult } from './portable-suite.js';

/** What was found on one runtime, with the package loaded in one way. */
export interface Row {
  readonly runtime: string;
  readonly loading: string;
  readonly results: readonly CheckResult[];
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
