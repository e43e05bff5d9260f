import { contactSummaries } from './operations/contacts.js';
import { eventSummaries } from './operations/events.js';
import { templateSummaries } from './operations/templates.js';
import { transactionalSummaries } from './operations/transactional.js';
import { webhookSummaries } from './operations/webhooks.js';
import type { operations } from './operations.js';

const byResource: Readonly<Record<keyof typeof operations, Readonly<Record<string, string>>>> = {
  contacts: contactSummaries,
  transactional: transactionalSummaries,
  events: eventSummaries,
  webhooks: webhookSummaries,
  templates: templateSummaries,
};

/** What each operation does, by its name. It is not part of `operations`, because the client does not need it. */
export const summaries: ReadonlyMap<string, string> = new Map(
  Object.entries(byResource).flatMap(([resource, ofResource]) =>
    Object.entries(ofResource).map(([verb, summary]) => [`${resource}.${verb}`, summary] as const),
  ),
);
