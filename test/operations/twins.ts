import type { operations } from '../../src/contract/operations.js';
import { contactTwins } from './contacts.js';
import { eventTwins } from './events.js';
import { templateTwins } from './templates.js';
import { transactionalTwins } from './transactional.js';
import type { OperationTwin, TwinsOf } from './twin.js';
import { webhookTwins } from './webhooks.js';

const byResource: { readonly [Resource in keyof typeof operations]: TwinsOf<Resource> } = {
  contacts: contactTwins,
  transactional: transactionalTwins,
  events: eventTwins,
  webhooks: webhookTwins,
  templates: templateTwins,
};

/** The twin of each operation by its name, in the order of §4. */
export const twins: readonly (readonly [name: string, twin: OperationTwin])[] = Object.entries(
  byResource,
).flatMap(([resource, ofResource]) =>
  Object.entries<OperationTwin>(ofResource).map(([verb, twin]) => [`${resource}.${verb}`, twin] as const),
);
