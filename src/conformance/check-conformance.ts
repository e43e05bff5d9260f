import { createRedactor, type Redact } from '../contract/redaction.js';
import { Asker } from './exchange/asker.js';
import { type ConformanceOptions, type Settings, settingsOf } from './options.js';
import { type ConformanceCheck, type ConformanceReport, reportOf } from './report.js';
import type { Subject } from './subject.js';
import { access } from './subjects/access.js';
import { contactDeletion } from './subjects/contact-deletion.js';
import { contactProperties } from './subjects/contact-properties.js';
import { contacts } from './subjects/contacts.js';
import { deliveries } from './subjects/deliveries.js';
import { events } from './subjects/events.js';
import { headers } from './subjects/headers.js';
import { ownership } from './subjects/ownership.js';
import { refusals } from './subjects/refusals.js';
import { templates } from './subjects/templates.js';
import { transactional } from './subjects/transactional.js';
import { webhooks } from './subjects/webhooks.js';
import { Visit } from './visit.js';

/** In the document's order, which is that of the report. */
const subjects: readonly Subject[] = [
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
const itinerary: readonly Subject[] = [
  templates,
  ...subjects.filter((subject) => ![templates, access, headers].includes(subject)),
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
  const asker = new Asker(settings);
  const visit = new Visit(settings, asker);
  const redact = createRedactor(
    () => keysOf(settings),
    () => visit.phones,
  );
  const found = new Map<Subject, readonly ConformanceCheck[]>();
  let leftBehind: readonly string[] = [];
  try {
    for (const subject of itinerary) {
      const checks = (await subject.run(visit)).map((check) => redacted(check, redact));
      found.set(subject, checks);
      for (const check of checks) settings.onCheck(check);
    }
  } finally {
    leftBehind = (await visit.leave()).map(redact);
  }
  const checks = subjects.flatMap((subject) => found.get(subject) ?? []);
  return reportOf(checks, { baseUrl: redact(settings.baseUrl), requests: asker.requests, leftBehind });
}

const keysOf = ({ apiKey, otherApiKey, exhaustedApiKey }: Settings): readonly string[] =>
  [apiKey, otherApiKey, exhaustedApiKey].filter((key) => key !== undefined);

function redacted(check: ConformanceCheck, redact: Redact): ConformanceCheck {
  const { seen, expected } = check;
  return { ...check, seen: redact(seen), ...(expected !== undefined && { expected: redact(expected) }) };
}
