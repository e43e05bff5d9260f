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
 * The order of the requests. The list of templates comes first: it is the simplest request, so it shows whether the deployment
 * accepts the key. Requests without a key come after all others: one that succeeds may remove what the others need.
 */
const requestOrder: readonly CheckGroup[] = [
  templates,
  ...groups.filter((group) => ![templates, access, headers].includes(group)),
  access,
  headers,
];

/**
 * Asks any deployment of the service whether it does what the service's document says, statement by statement.
 *
 * It destroys nothing. It makes contacts under phone numbers that are reserved for fiction, after it has looked up that no
 * contact has them, and one subscription at a time to a host that cannot exist. It removes them at the end, also when the
 * signal ends it early. It tracks events named `conformance_check` for its own contacts, unless `events` is false. It sends
 * nothing without the option `send`. It makes about 150 requests, one after the other, and waits where a 429 asks it to.
 *
 * Whatever a deployment does goes into the report: it may hang, cut connections, answer with pages instead of JSON or
 * without end. What the check could not see is `not_checked`, with what it needs and the option that provides it.
 *
 * @param options The deployment, and what the check may do there.
 * @returns The verdict on each statement, what the deployment does where the document shows nothing, and totals.
 * @throws TypeError where an option is missing or makes no sense. Error where the port of `deliveries` is not free. The
 *   signal's reason where the signal ended the run.
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
 *   console.log(`${check.section} ${check.statement}: ${check.seen}, where ${check.expected} was expected`);
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
