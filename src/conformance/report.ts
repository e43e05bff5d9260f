/**
 * The verdict on a statement of the service's document.
 *
 * - `held`: the deployment does what the document says.
 * - `broken`: it does something else.
 * - `not_shown`: the document does not show it. `seen` says what the deployment does, which is neither right nor wrong.
 * - `not_checked`: the check could not check it. `seen` says what it needs, and `option` names the option that provides it.
 *
 * @example
 * ```ts
 * import type { ConformanceVerdict } from 'messaging-automation/conformance';
 *
 * const marks: Record<ConformanceVerdict, string> = { held: '✓', broken: '✗', not_shown: '·', not_checked: '-' };
 * console.log(marks.held);
 * ```
 */
export type ConformanceVerdict = 'held' | 'broken' | 'not_shown' | 'not_checked';

/**
 * One statement of the service's document, and what the deployment did. Plain data, without keys, signing secrets or whole
 * phone numbers.
 *
 * @example
 * ```ts
 * import type { ConformanceCheck } from 'messaging-automation/conformance';
 *
 * const describe = (check: ConformanceCheck) => `${check.section} ${check.statement}: ${check.seen}`;
 * console.log(describe({ section: '§4', statement: 'DELETE /v1/contacts/:id: 204', verdict: 'held', seen: '204' }));
 * ```
 */
export interface ConformanceCheck {
  /** The document's section, as in `§4`. */
  readonly section: string;
  /** What the document says there, or what it does not show. */
  readonly statement: string;
  readonly verdict: ConformanceVerdict;
  /** What the deployment did. For `not_checked`, what the check needs. */
  readonly seen: string;
  /** What the document requires. Only for `broken`. */
  readonly expected?: string;
  /** For `not_checked`, the option of `checkConformance` that makes the check possible, if one does. */
  readonly option?: string;
}

/**
 * The result of `checkConformance`, in the document's order. Plain data.
 *
 * @example
 * ```ts
 * import { checkConformance, type ConformanceReport } from 'messaging-automation/conformance';
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const { baseUrl } = await server.listen({ port: 0 });
 * const report: ConformanceReport = await checkConformance({ baseUrl, apiKey: server.apiKey });
 * console.log(report.totals.broken); // 0
 * ```
 */
export interface ConformanceReport {
  /** The deployment's address. */
  readonly baseUrl: string;
  /** All statements, section by section. Those with `not_shown` come last in their section. */
  readonly checks: readonly ConformanceCheck[];
  /** How many statements have each verdict. */
  readonly totals: Readonly<Record<ConformanceVerdict, number>>;
  /** The number of requests, including the removal at the end and repetitions after a 429. */
  readonly requests: number;
  /** The number of 429 responses, and how long the check waited because of them, in milliseconds. */
  readonly rateLimited: { readonly answers: number; readonly waited: number };
  /** What the check created and could not remove, so that you can. Empty if it removed everything. */
  readonly leftBehind: readonly string[];
}

/** The report of these checks, in the document's order. */
export function reportOf(
  checks: readonly ConformanceCheck[],
  rest: Pick<ConformanceReport, 'baseUrl' | 'requests' | 'rateLimited' | 'leftBehind'>,
): ConformanceReport {
  const totals = { held: 0, broken: 0, not_shown: 0, not_checked: 0 };
  for (const { verdict } of checks) totals[verdict] += 1;
  return { ...rest, checks: [...checks].sort(byPlaceInDocument), totals };
}

const byPlaceInDocument = (a: ConformanceCheck, b: ConformanceCheck) =>
  a.section.localeCompare(b.section) || Number(a.verdict === 'not_shown') - Number(b.verdict === 'not_shown');
