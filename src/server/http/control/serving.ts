import type { ErrorDetail } from '../../../contract/error-body.js';
import { validate } from '../../../contract/schema.js';
import { closestTo } from '../../model/did-you-mean.js';
import { invalidRequest, ServiceError } from '../../model/service-error.js';
import { defaultSpecGaps } from '../../model/spec-gaps.js';
import { errorResponseOf, type HttpResponse, jsonResponse, type Reply } from '../../responses/response.js';
import { WaitEndedError, WaitTimeoutError } from '../../workspace-api/wait.js';
import type { Application } from '../application.js';
import { type Exchange, parseJson, readBody, readQuery } from '../received-request.js';
import type { Asked, ControlOperation, QueryParameters, Rule } from './control-operation.js';

/** Serves an operation of the control surface's table with a rule. */
export type Serve = <Path extends string, Query extends QueryParameters, Body, Result>(
  operation: ControlOperation<Path, Query, Body, Result>,
  rule: Rule<Path, Query, Body, Result>,
) => void;

export function serveOn(application: Application): Serve {
  return (operation, rule) =>
    application.handle(operation.method, operation.path, async (exchange, workspace) => {
      const asked = await readControlRequest(application, operation, exchange);
      try {
        await workspace.sharing.current();
        const result = await rule(workspace, asked);
        await workspace.sharing.written();
        if (operation.result === undefined) return { status: operation.status, headers: {} };
        return jsonResponse(operation.status, result);
      } catch (error) {
        return responseTo(error, exchange.request.gone.aborted);
      }
    });
}

/** Validates the parts of a request with the schemas of its operation, or rejects the request. */
export async function readControlRequest<Path extends string, Query extends QueryParameters, Body, Result>(
  application: Application,
  operation: ControlOperation<Path, Query, Body, Result>,
  { request, parameters: path }: Exchange,
): Promise<Asked<Path, Query, Body>> {
  const limit = operation.bodyLimit ?? application.bodyLimit;
  const query = readQuery(request.search);
  const body = operation.body && parseJson(await readBody(request, limit));
  const parts = { path, query, body, request };
  accept(operation, parts);
  return parts;
}

/** The parts that have a schema. */
interface Parts {
  query: Readonly<Record<string, unknown>>;
  body: unknown;
}

/** Replaces each part with the result of its schema, or rejects the request. */
function accept<Path extends string, Query extends QueryParameters, Body, Result>(
  { method, path, query: parameters, body }: ControlOperation<Path, Query, Body, Result>,
  parts: Parts,
): asserts parts is Parts & Asked<Path, Query, Body> {
  const problems: ErrorDetail[] = [];
  const known = Object.entries(parameters ?? {});
  const query = known.map(([field, { schema }]) => {
    const validation = validate(schema, parts.query[field]);
    if (validation.valid) return [field, validation.value] as const;
    problems.push(...validation.problems.map(({ message }) => ({ field, message })));
    return [field, undefined] as const;
  });
  const names = known.map(([name]) => name);
  const there = names.length === 0 ? 'It has no parameters' : `Its parameters: ${names.join(', ')}`;
  for (const field of Object.keys(parts.query).filter((given) => !names.includes(given))) {
    const closest = closestTo(field, names);
    const meant = closest === undefined ? '' : ` Did you mean ${closest}?`;
    problems.push({ field, message: `is not a parameter of ${method} ${path}.${meant} ${there}` });
  }
  parts.query = Object.fromEntries(query);
  if (body !== undefined) {
    const validation = validate(body, parts.body);
    if (validation.valid) parts.body = validation.value;
    else problems.push(...validation.problems.map(({ field, message }) => ({ field, message })));
  }
  if (problems.length > 0) throw invalidRequest(problems);
}

/** Turns an error about invalid input into a response with status 400. */
export async function orInvalid<Result>(perform: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await perform();
  } catch (error) {
    const { name, message } = Object(error);
    if (!['ConfigurationError', 'TypeError', 'RangeError'].includes(name)) throw error;
    throw new ServiceError('invalid_request', String(message));
  }
}

/** @throws ServiceError with status 404 if what a request names does not exist. */
export function refuseUnless(exists: boolean, message: string): void {
  if (!exists) throw new ServiceError('not_found', message);
}

/** An error that the service's contract does not have. */
export class ForbiddenError extends Error {
  static {
    this.prototype.name = 'ForbiddenError';
  }
}

/**
 * Returns the response for the errors that only the control surface has.
 *
 * @throws The original error, if it is none of these.
 */
export function responseTo(error: unknown, readerIsGone: boolean): Reply {
  if (error instanceof WaitEndedError && readerIsGone) return { status: 'reset' };
  if (error instanceof WaitEndedError) return refusal(503, 'closing', error);
  if (error instanceof WaitTimeoutError) return refusal(408, 'wait_timeout', error);
  if (error instanceof ForbiddenError) return refusal(403, 'forbidden', error);
  throw error;
}

function refusal(status: number, code: string, { message }: Error): HttpResponse {
  return errorResponseOf(status, { code, message }, defaultSpecGaps);
}
