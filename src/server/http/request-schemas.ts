import type { AnyOperation, OperationRequest } from '../../contract/operation.js';
import {
  findWithSpaceSchema,
  sendWithAnyVariablesSchema,
  subscribeToAllSchema,
  updateWithAnyValuesSchema,
  upsertWithAnyValuesSchema,
} from '../../contract/relaxed-input.js';
import type { Schema } from '../../contract/schema.js';
import type { SpecGaps } from '../model/spec-gaps.js';

/** A schema for each part that a request has. */
export type RequestSchemas = Readonly<Partial<Record<keyof OperationRequest, Schema<unknown>>>>;

/** What an operation's request must be like: as the contract has it, or more where a rule or the gaps accept it. */
export function requestSchemas(
  { name, request }: Pick<AnyOperation, 'name'> & { readonly request: RequestSchemas },
  gaps: SpecGaps,
): RequestSchemas {
  const more = acceptedBeyond(name, gaps);
  return more === undefined ? request : { ...request, ...more };
}

function acceptedBeyond(
  operation: string,
  { nestedProperty, unencodedPlus, requiredWebhookFields }: SpecGaps,
): RequestSchemas | undefined {
  switch (operation) {
    case 'contacts.upsert':
      return nestedProperty === 'accept' ? { body: upsertWithAnyValuesSchema } : undefined;
    case 'contacts.update':
      return nestedProperty === 'accept' ? { body: updateWithAnyValuesSchema } : undefined;
    case 'contacts.find':
      return unencodedPlus === 'accept' ? { query: findWithSpaceSchema } : undefined;
    case 'transactional.send':
      return { body: sendWithAnyVariablesSchema };
    case 'webhooks.create':
      return requiredWebhookFields === 'url' ? { body: subscribeToAllSchema } : undefined;
    default:
      return undefined;
  }
}
