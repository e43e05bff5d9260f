/**
 * Checks whether a deployment of the service does what the service's document says.
 *
 * ```ts
 * import { checkConformance } from 'messaging-automation/conformance';
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const { baseUrl } = await server.listen(); // or the base URL of any other deployment
 *
 * const { checks, totals } = await checkConformance({ baseUrl, apiKey: server.apiKey });
 * for (const { section, statement, seen, expected } of checks.filter(({ verdict }) => verdict === 'broken')) {
 *   console.log(`${section} ${statement}: saw ${seen}, expected ${expected}`);
 * }
 * console.log(totals);
 * ```
 *
 * Read on: [check a deployment](../../docs/guides/check-a-deployment.md).
 *
 * @module messaging-automation/conformance
 */
export type { Clock } from '../foundation/clock.js';
export { checkConformance } from './check-conformance.js';
export { type ConformanceChange, compareReports } from './compare-reports.js';
export type { ConformanceDeliveries, ConformanceOptions, ConformanceSend } from './options.js';
export type { ConformanceCheck, ConformanceReport } from './report.js';
