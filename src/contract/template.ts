import { operation } from './operation.js';
import { list, looseObject, type Schema, text } from './schema.js';

/**
 * An approved message template. The service documents only the id. The reference server sends the other fields, too.
 * Their type is `unknown`, because another deployment may send other values.
 */
export interface Template {
  /** The id that `transactional.send` takes as `templateId`. */
  readonly id: string;
  /** The service does not document this field. */
  readonly name?: unknown;
  /** The service does not document this field. */
  readonly language?: unknown;
  /** The service does not document this field. */
  readonly status?: unknown;
  /** The service does not document this field. */
  readonly body?: unknown;
  /** The service does not document this field. */
  readonly variables?: unknown;
  /** Any other field that the service sends. */
  readonly [field: string]: unknown;
}

/** A template. */
export const templateSchema: Schema<Template> = looseObject({ id: text() });

/** The operations of /v1/templates. */
export const templateOperations = {
  list: operation<Record<never, never>, readonly Template[], 'listed'>({
    name: 'templates.list',
    method: 'GET',
    path: '/v1/templates',
    request: {},
    successes: { listed: 200 },
    result: { kind: 'list', schema: list(templateSchema), envelopes: ['data', 'templates'] },
    notShown: ['status', 'body'],
    errors: [],
    repeatable: true,
  }),
};
