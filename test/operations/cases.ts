import type { operations } from '../../src/contract/operations.js';
import { contactCases } from './contacts.js';
import { eventCases } from './events.js';
import type { CasesOf, OperationCase } from './operation-case.js';
import { templateCases } from './templates.js';
import { transactionalCases } from './transactional.js';
import { webhookCases } from './webhooks.js';

const byResource: { readonly [Resource in keyof typeof operations]: CasesOf<Resource> } = {
  contacts: contactCases,
  transactional: transactionalCases,
  events: eventCases,
  webhooks: webhookCases,
  templates: templateCases,
};

/** The case of each operation by its name, in the order of §4. */
export const operationCases: readonly (readonly [name: string, operationCase: OperationCase])[] =
  Object.entries(byResource).flatMap(([resource, ofResource]) =>
    Object.entries<OperationCase>(ofResource).map(
      ([verb, operationCase]) => [`${resource}.${verb}`, operationCase] as const,
    ),
  );
