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

/** In the document's order, which is that of the report. */
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
 * The order of asking. The templates come first: nothing simpler can be asked, so they show whether the key is let in. What
 * is asked without a key comes last but one: were it let in, it would remove what the others need.
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
 * It destroys nothing: it makes contacts of its own, under phone numbers that are reserved for fiction and that it first
 * sees to be free, and one subscription at a time to a host that cannot exist; it removes them at the end, also when it
 * is ended early. It tracks events named `conformance_check` for its own contacts, which can be turned off. It sends
 * nothing unless `send` says what may be sent to whom. Requests are made one after the other, about a hundred of them.
 *
 * A check never fails because of what a deployment does: hanging, cut connections, pages instead of JSON and endless
 * bodies are all things to report.
 *
 * @param options Which deployment, and how much it may be asked.
 * @returns The verdict on each statement, what was seen of each thing that the document does not show, and totals.
 * @throws TypeError where an option is missing or makes no sense. Error where `deliveries` names a port that cannot be
 *   had. The signal's reason where the signal ended the run.
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
    leftBehind = (await run.leave()).map(redact);
  }
  const checks = groups.flatMap((group) => found.get(group) ?? []);
  return reportOf(checks, { baseUrl: redact(settings.baseUrl), requests: requester.requests, leftBehind });
}

const keysOf = ({ apiKey, otherApiKey, exhaustedApiKey }: Settings): readonly string[] =>
  [apiKey, otherApiKey, exhaustedApiKey].filter((key) => key !== undefined);

function redacted(check: ConformanceCheck, redact: Redact): ConformanceCheck {
  const { seen, expected } = check;
  return { ...check, seen: redact(seen), ...(expected !== undefined && { expected: redact(expected) }) };
}
