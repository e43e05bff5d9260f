import { createRedactor, type Redact } from '../contract/redaction.js';
import type { CheckGroup } from './check-group.js';
import { access } from './checks/access.js';
import { contactDeletion } from './checks/contact-deletion.js';
import { contactProperties } from './checks/contact-properties.js';
import { contacts } from './checks/contacts.js';
import { deliveries } from './checks/deliveries.js';
import { events } from './checks/events.js';
import { headers } from './checks/headers.js';
import { ownership } from './checks/ownership.js';
import { refusals } from './checks/refusals.js';
import { templates } from './checks/templates.js';
import { transactional } from './checks/transactional.js';
import { webhooks } from './checks/webhooks.js';
import { ConformanceRun } from './conformance-run.js';
import { HttpRequester } from './exchange/http-requester.js';
import { type ConformanceOptions, type Settings, settingsOf } from './options.js';
import { type ConformanceCheck, type ConformanceReport, reportOf } from './report.js';

/** The groups, in the document's order. */
const groups: readonly CheckGroup[] = [
  contacts,
  contactProperties,
  contactDeletion,
  transactional,
  events,
  webhooks,
  templates,
  access,
  ownership,
  deliveries,
  refusals,
  headers,
];

/**
 * The order of the requests. The list of templates comes first: it is the simplest request, and shows whether the deployment
 * accepts the key. Requests without a key come last, because one that succeeds by mistake may remove what the others need.
 */
const requestOrder: readonly CheckGroup[] = [
  templates,
  ...groups.filter((group) => ![templates, access, headers].includes(group)),
  access,
  headers,
];

/**
 * Checks any deployment of the service against the service's document, statement by statement.
 *
 * It destroys nothing. It creates contacts with phone numbers that are reserved for fiction, after it has checked that no contact
 * has them, and one subscription at a time to a host that cannot exist. It removes them at the end, also when the signal ends the
 * run early. It tracks events named `conformance_check` for its own contacts, unless `events` is false. It sends nothing without
 * the option `send`. It makes about 150 requests, one after the other, and waits when a 429 asks it to.
 *
 * The report covers every deployment: one that hangs, cuts connections, or answers with HTML pages or endless bodies. A statement
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
  const settings = settingsOf(options);
  const requester = new HttpRequester(settings);
  const run = new ConformanceRun(settings, requester);
  const redact = createRedactor(
    () => keysOf(settings),
    () => run.phones,
  );
  const found = new Map<CheckGroup, readonly ConformanceCheck[]>();
  let leftBehind: readonly string[] = [];
  try {
    for (const group of requestOrder) {
      const checks = (await group.check(run)).map((check) => redacted(check, redact));
      found.set(group, checks);
      for (const check of checks) settings.onCheck(check);
    }
  } finally {
    leftBehind = (await run.removeCreated()).map(redact);
  }
  const checks = groups.flatMap((group) => found.get(group) ?? []);
  return reportOf(checks, {
    baseUrl: redact(settings.baseUrl),
    requests: requester.requests,
    rateLimited: { answers: run.observed.rateLimited, waited: run.observed.waited },
    leftBehind,
  });
}

const keysOf = ({ apiKey, otherApiKey, exhaustedApiKey }: Settings): readonly string[] =>
  [apiKey, otherApiKey, exhaustedApiKey].filter((key) => key !== undefined);

function redacted(check: ConformanceCheck, redact: Redact): ConformanceCheck {
  const { seen, expected } = check;
  return { ...check, seen: redact(seen), ...(expected !== undefined && { expected: redact(expected) }) };
}
