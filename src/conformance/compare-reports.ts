import { isObject } from '../foundation/is-object.js';
import { ConfigurationError } from '../foundation/options.js';
import { type ConformanceCheck, type ConformanceReport, textOf, verdicts } from './report.js';

/**
 * What is different between two reports about one statement. Plain data.
 *
 * @example
 * ```ts
 * import type { ConformanceChange } from 'messaging-automation/conformance';
 *
 * const describe = ({ change, section, statement }: ConformanceChange) => `${change}: ${section} ${statement}`;
 * console.log(describe({ change: 'gone', section: '§4', statement: 'DELETE /v1/contacts/:id: 204' }));
 * ```
 */
export interface ConformanceChange {
  /**
   * - `broken`: it was not broken before. `fixed`: it was.
   * - `changed`: the verdict is another one, or the deployment does something else where it is broken or the document is silent.
   * - `new`, `gone`: only the later or only the earlier report has the statement.
   * - `unchecked`: only the earlier run could check it, so nothing is known of it now. `checked`: only the later one could.
   */
  readonly change: 'broken' | 'fixed' | 'changed' | 'new' | 'gone' | 'unchecked' | 'checked';
  readonly section: string;
  readonly statement: string;
  /** What the earlier report says. Missing for `new`. */
  readonly before?: ConformanceCheck;
  /** What the later report says. Missing for `gone`. */
  readonly after?: ConformanceCheck;
}

/**
 * Compares two reports of `checkConformance`, to see whether a deployment or a test double has changed. The two may be about different
 * addresses.
 *
 * @param baseline The earlier report, such as the parsed JSON of `conformance --json`.
 * @param report The later one.
 * @returns The differences, in the order of the later report. What a statement that holds has seen does not count.
 * @throws ConfigurationError when one of them is not a report, or has verdicts of another version.
 * @example
 * ```ts
 * import { checkConformance, compareReports } from 'messaging-automation/conformance';
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const { baseUrl } = await server.listen({ port: 0 });
 * const baseline = await checkConformance({ baseUrl, apiKey: server.apiKey });
 *
 * // Later, such as each night:
 * const report = await checkConformance({ baseUrl, apiKey: server.apiKey });
 * console.log(compareReports(baseline, report)); // []
 * ```
 */
export function compareReports(
  baseline: ConformanceReport,
  report: ConformanceReport,
): readonly ConformanceChange[] {
  const earlier = checksOf(baseline, 'the baseline');
  const later = checksOf(report, 'the report');
  const gone = [...earlier].filter(([text]) => !later.has(text));
  return [
    ...[...later].flatMap(([text, after]) => changesBetween(earlier.get(text), after)),
    ...gone.map(([, before]) => ({ change: 'gone' as const, ...placeOf(before), before })),
  ];
}

function changesBetween(before: ConformanceCheck | undefined, after: ConformanceCheck): ConformanceChange[] {
  const change = before === undefined ? 'new' : changeOf(before, after);
  return change === undefined ? [] : [{ change, ...placeOf(after), ...(before && { before }), after }];
}

function changeOf(
  before: ConformanceCheck,
  after: ConformanceCheck,
): ConformanceChange['change'] | undefined {
  if (before.verdict === after.verdict) {
    // What a statement that holds has seen may differ, and what an unchecked one needs is no fact about the deployment.
    const isFree = after.verdict === 'held' || after.verdict === 'not_checked';
    return isFree || before.seen === after.seen ? undefined : 'changed';
  }
  if (after.verdict === 'broken') return 'broken';
  if (after.verdict === 'not_checked') return 'unchecked';
  if (before.verdict === 'not_checked') return 'checked';
  return before.verdict === 'broken' ? 'fixed' : 'changed';
}

function placeOf({ section, statement }: ConformanceCheck) {
  return { section, statement };
}

/** The checks of a report by their statements. A report may come from a file, so its form is checked. */
function checksOf(report: unknown, name: string): ReadonlyMap<string, ConformanceCheck> {
  const { checks }: { readonly checks?: unknown } = Object(report);
  if (!Array.isArray(checks) || !checks.every(isCheck))
    throw new ConfigurationError(
      `compareReports: ${name} is not a report of checkConformance, which \`conformance --json\` prints.`,
    );
  const strange = checks.find(({ verdict }) => !verdicts.some((known) => known === verdict));
  if (strange !== undefined)
    throw new ConfigurationError(
      `compareReports: ${name} has the verdict ${JSON.stringify(strange.verdict)}, which this version does not know. Make both reports with one version.`,
    );
  return new Map(checks.map((check) => [textOf(check), check]));
}

function isCheck(value: unknown): value is ConformanceCheck {
  if (!isObject(value)) return false;
  const { section, statement, verdict, seen } = value;
  return [section, statement, verdict, seen].every((field) => typeof field === 'string');
}
