import type { Context } from 'hono';
import type { ErrorDetail } from '../../contract/error.js';
import type { Operation, OperationRequest } from '../../contract/operation.js';
import { type Problem, type Schema, validate } from '../../contract/schema.js';
import { invalidRequest } from '../service/service-error.js';
import { parseJson, readBody } from './request-body.js';

type Part = keyof OperationRequest;

/** The parts of a request that the operation has; refuses what does not fit the contract. */
export function readRequest<Request extends OperationRequest, Result, Outcome extends string>(
  context: Context,
  operation: Operation<Request, Result, Outcome>,
  body: Uint8Array | undefined,
): Request {
  const schemas: Readonly<Partial<Record<Part, Schema<unknown>>>> = operation.request;
  const parts: Partial<Record<Part, unknown>> = {};
  if (schemas.path !== undefined) parts.path = context.req.param();
  if (schemas.query !== undefined) parts.query = readQuery(context);
  if (body !== undefined) parts.body = parseJson(body);
  assertFits<Request>(schemas, parts);
  return parts;
}

/** Reads a JSON body that stands outside the contract's table. */
export async function readJson<T>(context: Context, schema: Schema<T>, bodyLimit: number): Promise<T> {
  const validation = validate(schema, parseJson(await readBody(context.req, bodyLimit)));
  if (validation.valid) return validation.value;
  throw invalidRequest(validation.problems.map(toDetail));
}

/** A value given twice is refused by its schema, for it stays an array here. */
function readQuery(context: Context): Readonly<Record<string, unknown>> {
  const queries = Object.entries(context.req.queries());
  return Object.fromEntries(
    queries.map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}

function assertFits<Request extends OperationRequest>(
  schemas: Readonly<Partial<Record<Part, Schema<unknown>>>>,
  parts: Readonly<Partial<Record<Part, unknown>>>,
): asserts parts is Request {
  const problems = (['path', 'query', 'body'] as const).flatMap((part) => {
    const schema = schemas[part];
    if (schema === undefined) return [];
    const validation = validate(schema, parts[part]);
    if (validation.valid) return [];
    return part === 'query'
      ? validation.problems.map((problem) => explainLostPlus(problem, parts.query))
      : validation.problems;
  });
  if (problems.length > 0) throw invalidRequest(problems.map(toDetail));
}

function toDetail({ field, message }: Problem): ErrorDetail {
  return { field, message };
}

/** §4 GET /v1/contacts/find: an unencoded + arrives as a space, which is worth a word of its own. */
function explainLostPlus(problem: Problem, query: unknown): Problem {
  const value = typeof query === 'object' && query !== null ? Reflect.get(query, problem.field) : undefined;
  if (typeof value !== 'string' || !/^ \d/.test(value)) return problem;
  return { ...problem, message: 'begins with a space: send its + URL-encoded, as %2B' };
}
