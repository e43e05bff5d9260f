import { createRedactor } from '../contract/redaction.js';
import { checkAccess, wrongKeys } from './checks/access.js';
import { checkContacts } from './checks/contacts.js';
import { checkEvents } from './checks/events.js';
import { checkOwnership } from './checks/ownership.js';
import { checkHeaders, checkRefusals } from './checks/silences.js';
import { checkTemplates } from './checks/templates.js';
import { checkSends } from './checks/transactional.js';
import { checkWebhooks } from './checks/webhooks.js';
import { ConformanceRun } from './conformance-run.js';
import { checkDeliveries } from './deliveries/check-deliveries.js';
import { type ConformanceOptions, settingsOf } from './options.js';
import { type ConformanceCheck, type ConformanceReport, reportOf } from './report.js';

/**
 * The parts of a run. The list of templates comes first: it is the simplest request, and shows whether the deployment accepts the
 * key. Requests without a key come last, because one that succeeds by mistake may remove what the others need. Each statement belongs
 * to one part.
 */
const parts: readonly ((run: ConformanceRun) => Promise<void>)[] = [
  checkTemplates,
  checkContacts,
  checkSends,
  checkEvents,
  checkWebhooks,
  checkOwnership,
  checkDeliveries,
  checkRefusals,
  checkAccess,
  checkHeaders,
];

/**
 * Checks any deployment of the service against the service's document, statement by statement.
 *
 * It destroys nothing. It creates contacts with phone numbers that are reserved for fiction, after it has checked that no contact
 * has them, and subscriptions to a host that cannot exist. It removes them at the end, even when the signal ends the run early. It tracks events named `conformance_check` for its own contacts, unless `events` is false. It sends nothing without
 * the option `send`. It makes about 150 requests, one after the other, and waits when a 429 asks it to.
 *
 * The report covers every deployment: one that hangs, cuts connections, or responds with HTML pages or endless bodies. A statement
 * that could not be checked is `not_checked`, with what it needs and the option that provides it.
 *
 * @param options The deployment, and what the check may do there.
 * @returns The verdict on each statement, what the deployment does where the document shows nothing, and totals.
 * @throws ConfigurationError if an option is missing or invalid. Error if the port of `deliveries` is not free. The signal's reason if the
 *   signal ended the run.
 * @example
 * ```ts
 * import { checkConformance } from 'messaging-automation/conformance';
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const { baseUrl } = await server.listen({ port: 0 });
 *
 * const { checks, totals } = await checkConformance({ baseUrl, apiKey: server.apiKey });
 * for (const check of checks.filter(({ verdict }) => verdict === 'broken')) {
 *   console.log(`${check.section} ${check.statement}: ${check.seen}, expected ${check.expected}`);
 * }
 * console.log(totals);
 * ```
 */
export async function checkConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const run = new ConformanceRun(settingsOf(options));
  const { baseUrl, apiKey, otherApiKey, exhaustedApiKey, onCheck } = run.settings;
  const otherKeys = [otherApiKey, exhaustedApiKey].filter((key) => key !== undefined);
  const keys = [apiKey, ...wrongKeys(apiKey), ...otherKeys];
  const phones = () => run.phones;
  const redact = createRedactor(() => keys, phones);
  const checks: ConformanceCheck[] = [];
  let leftBehind: readonly string[] = [];
  try {
    for (const part of parts) {
      await part(run);
      const found = run.take(redact);
      checks.push(...found);
      for (const check of found) onCheck?.(check);
    }
  } finally {
    leftBehind = (await run.created.remove(run.requester)).map(redact);
  }
  const { requests, rateLimited } = run.requester.observed;
  return reportOf(checks, { baseUrl: redact(baseUrl), requests, rateLimited, leftBehind });
}
