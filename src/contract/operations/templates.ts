import { operation } from '../operation.js';
import { list } from '../schema.js';
import { type Template, templateSchema } from '../template.js';

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

/** One sentence about each operation. */
export const templateSummaries: Readonly<Record<keyof typeof templateOperations, string>> = {
  list: 'Lists the templates, whose ids are used as templateId.',
};

/** What the service's document states about these operations. */
export const templateStatements = {
  listTemplates: '§4 GET /v1/templates: lists templates',
  listedTemplatesAreSent: '§4 GET /v1/templates: its ids are used as templateId',
} as const;
