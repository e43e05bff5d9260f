import type { Operation, OperationRequest } from '../../contract/operation.js';
import {
  findWithSpaceSchema,
  sendWithAnyVariablesSchema,
  subscribeToAllSchema,
  updateWithAnyValuesSchema,
  upsertWithAnyValuesSchema,
} from '../../contract/relaxed-input.js';
import { type Problem, type Schema, unknownField, validate } from '../../contract/schema.js';
import { invalidRequest } from '../model/service-error.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import { type Exchange, parseJson } from './received-request.js';

type Part = keyof OperationRequest;

/** Validates the parts of a request against the operation, or rejects the request. */
export function readRequest<Request extends OperationRequest, Result, Outcome extends string>(
  { name, request }: Operation<Request, Result, Outcome>,
  { parameters, request: { search }, body }: Exchange,
  gaps: SpecGaps,
): Request {
  const more = wider[name]?.(gaps);
  const contract: RequestSchemas = request;
  const schemas = more ? { ...contract, ...more } : contract;
  const parts: Partial<Record<Part, unknown>> = {};
  if (schemas.path !== undefined) parts.path = parameters;
  parts.query = readQuery(search);
  if (body !== undefined) parts.body = parseJson(body);
  accept<Request>(schemas, parts);
  return parts;
}

/** Parses the query. A repeated parameter becomes an array, which its schema rejects. */
export function readQuery(search: string): Readonly<Record<string, unknown>> {
  if (search === '') return {};
  const query = new URLSearchParams(search);
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

/** Replaces each part with the result of its schema, or rejects the request. */
function accept<Request extends OperationRequest>(
  schemas: RequestSchemas,
  parts: Partial<Record<Part, unknown>>,
): asserts parts is Request {
  const problems = (['path', 'query', 'body'] as const).flatMap((part) => {
    const schema = schemas[part];
    const given = parts[part];
    if (schema === undefined) return part === 'query' ? unknownFields(given, {}) : [];
    const validation = validate(schema, given);
    if (validation.valid) {
      parts[part] = validation.value;
      return part === 'query' ? unknownFields(given, validation.value) : [];
    }
    return part === 'query'
      ? validation.problems.map((problem) => explainLostPlus(problem, given))
      : validation.problems;
  });
  if (problems.length > 0) throw invalidRequest(problems.map(({ field, message }) => ({ field, message })));
}

/** The query parameters that the schema does not have. */
function unknownFields(given: unknown, taken: unknown): readonly Problem[] {
  return Object.keys(Object(given))
    .filter((field) => !Object.hasOwn(Object(taken), field))
    .map((field) => ({ field, message: unknownField, kind: 'unknown_field' }));
}

/** The error for a phone that has a space instead of its +. */
export const lostPlus = 'begins with a space: send its + URL-encoded, as %2B';

/** Explains an unencoded + in GET /v1/contacts/find, which arrives as a space. */
function explainLostPlus(problem: Problem, query: unknown): Problem {
  const value = typeof query === 'object' && query !== null ? Reflect.get(query, problem.field) : undefined;
  if (typeof value !== 'string' || !/^ \d/.test(value)) return problem;
  return { ...problem, message: lostPlus };
}

/** The schema of each part of a request. */
type RequestSchemas = Readonly<Partial<Record<keyof OperationRequest, Schema<unknown>>>>;

/** What an operation accepts beyond the contract, because a rule or `specGaps` does. */
const wider: Readonly<Record<string, (gaps: SpecGaps) => RequestSchemas | false>> = {
  'contacts.upsert': ({ nestedProperty }) =>
    nestedProperty === 'accept' && { body: upsertWithAnyValuesSchema },
  'contacts.update': ({ nestedProperty }) =>
    nestedProperty === 'accept' && { body: updateWithAnyValuesSchema },
  'contacts.find': ({ unencodedPlus }) => unencodedPlus === 'accept' && { query: findWithSpaceSchema },
  'transactional.send': () => ({ body: sendWithAnyVariablesSchema }),
  'webhooks.create': ({ requiredWebhookFields }) =>
    requiredWebhookFields === 'url' && { body: subscribeToAllSchema },
};
