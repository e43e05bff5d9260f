import type { OperationName } from '../contract/operation-name.js';
import { operationList } from '../contract/operations.js';
import { type Statement, statements } from '../contract/statements.js';

/**
 * The verdict on a statement of the service's document.
 *
 * - `held`: the deployment does what the document says.
 * - `broken`: it does something else.
 * - `not_shown`: the document does not show it. `seen` says what the deployment does, which is neither right nor wrong.
 * - `not_checked`: the check could not check it. `seen` says what it needs, and `option` names the option that provides it.
 */
export type ConformanceVerdict = (typeof verdicts)[number];

/** All verdicts. */
export const verdicts = ['held', 'broken', 'not_shown', 'not_checked'] as const;

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
  readonly rateLimited: { readonly responses: number; readonly waited: number };
  /**
   * The endpoints, as in `POST /v1/transactional`, of which the check did not see what they do when they work. If the array is not empty,
   * the report does not show that the deployment conforms, even if nothing is broken.
   */
  readonly uncheckedEndpoints: readonly string[];
  /** What the check created and could not remove, so that you can. Empty if it removed everything. */
  readonly leftBehind: readonly string[];
}

/**
 * The core of each endpoint: what an endpoint does when it works. An endpoint whose core is not shown may do anything, whatever else
 * is held.
 */
const core: Readonly<Record<OperationName, readonly Statement[]>> = {
  'contacts.upsert': [statements.upsertCreates, statements.upsertUpdates, statements.upsertResponse],
  'contacts.find': [statements.findByPhone, statements.findNobody],
  'contacts.get': [statements.getContact],
  'contacts.update': [statements.updateContact],
  'contacts.delete': [statements.deleteContact, statements.deletionIsFinal],
  'transactional.send': [statements.sendSucceeds, statements.sendToNobody],
  'events.track': [statements.trackAccepted, statements.trackNobody],
  'webhooks.create': [statements.subscribe, statements.subscribeSecret],
  'webhooks.list': [statements.listSubscriptions],
  'webhooks.delete': [statements.unsubscribe],
  'templates.list': [statements.listTemplates],
};

/** The report of these checks, in the document's order. */
export function reportOf(
  checks: readonly ConformanceCheck[],
  rest: Pick<ConformanceReport, 'baseUrl' | 'requests' | 'rateLimited' | 'leftBehind'>,
): ConformanceReport {
  const totals = { held: 0, broken: 0, not_shown: 0, not_checked: 0 };
  for (const { verdict } of checks) totals[verdict] += 1;
  const unchecked = checks.filter(({ verdict }) => verdict === 'not_checked').map(textOf);
  const cores = new Map<string, readonly Statement[]>(Object.entries(core));
  const uncheckedEndpoints = operationList
    .filter(({ name }) => cores.get(name)?.some((statement) => unchecked.includes(statement)))
    .map(({ method, path }) => `${method} ${path}`);
  return { ...rest, checks: [...checks].sort(byPlaceInDocument), totals, uncheckedEndpoints };
}

/** What names a statement in each report. */
export const textOf = ({ section, statement }: ConformanceCheck) => `${section} ${statement}`;

const order = new Map<string, number>(
  Object.values(statements).map((statement, index) => [statement, index]),
);

/** The order of two checks in the document: by section, and what the document does not show last. */
function byPlaceInDocument(a: ConformanceCheck, b: ConformanceCheck): number {
  const placeOf = (check: ConformanceCheck) => order.get(textOf(check)) ?? order.size;
  return a.section.localeCompare(b.section) || placeOf(a) - placeOf(b);
}
