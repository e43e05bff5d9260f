/**
 * What became of a statement of the service's document.
 *
 * - `held`: the deployment does what the document says.
 * - `broken`: it does something else.
 * - `not_shown`: the document is silent here; `seen` says what the deployment does. Neither right nor wrong.
 * - `not_checked`: it could not be asked; `seen` says what would be needed.
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
 * One statement of the service's document, and what the deployment did. It is plain data, and holds no key, no signing
 * secret and no whole phone number.
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
  /** What the document says there, or what it is silent about. */
  readonly statement: string;
  readonly verdict: ConformanceVerdict;
  /** What the deployment did; for `not_checked`, why it was not asked and what would be needed. */
  readonly seen: string;
  /** What the document wants instead; only where the statement is broken. */
  readonly expected?: string;
}

/**
 * What `checkConformance` found, in the document's order. It is plain data.
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
  /** The deployment that was asked. */
  readonly baseUrl: string;
  /** Every statement, section by section; what the document does not show comes last in each. */
  readonly checks: readonly ConformanceCheck[];
  /** How many statements came to each verdict. */
  readonly totals: Readonly<Record<ConformanceVerdict, number>>;
  /** How many requests were made, clean-up included. */
  readonly requests: number;
  /** What was made in the deployment and could not be removed again; somebody should. Empty when all is well. */
  readonly leftBehind: readonly string[];
}

/** The report of these checks, in the document's order. */
export function reportOf(
  checks: readonly ConformanceCheck[],
  rest: Pick<ConformanceReport, 'baseUrl' | 'requests' | 'leftBehind'>,
): ConformanceReport {
  const totals = { held: 0, broken: 0, not_shown: 0, not_checked: 0 };
  for (const { verdict } of checks) totals[verdict] += 1;
  return { ...rest, checks: [...checks].sort(byPlaceInDocument), totals };
}

const byPlaceInDocument = (a: ConformanceCheck, b: ConformanceCheck) =>
  a.section.localeCompare(b.section) || Number(a.verdict === 'not_shown') - Number(b.verdict === 'not_shown');
