import * as z from 'zod/mini';
import { ConflictError, ServiceError } from '../../model/service-error.js';
import { defaultSpecGaps } from '../../model/spec-gaps.js';
import { errorResponseOf, type HttpResponse, jsonResponse, type Reply } from '../../responses/response.js';
import { WaitEndedError, WaitTimeoutError } from '../../workspace-api/wait.js';
import type { Application } from '../application.js';
import { accept, type Exchange, parseJson, readBody, readQuery } from '../received-request.js';
import type { Asked, ControlOperation, QueryParameters, Rule } from './control-operation.js';

/** Serves an operation of the control surface's table with a rule. */
export type Serve = <Path extends string, Query extends QueryParameters, Body, Result>(
  operation: ControlOperation<Path, Query, Body, Result>,
  rule: Rule<Path, Query, Body, Result>,
) => void;

export function serveOn(application: Application): Serve {
  return (operation, rule) =>
    application.handle(operation.method, operation.path, async (exchange, workspace) => {
      const { status, result: shape, refusals } = operation;
      const asked = await readControlRequest(application, operation, exchange);
      try {
        const result = await rule(workspace, asked);
        if (shape === undefined ? result === false : result === undefined) {
          throw new ServiceError('not_found', refusals?.[404] ?? '');
        }
        return shape === undefined ? { status, headers: {} } : jsonResponse(status, result);
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
  const { body, bodyLimit = application.bodyLimit } = operation;
  const query = Object.entries(operation.query ?? {}).map(([name, { schema }]) => [name, schema] as const);
  const parts = {
    path,
    query: readQuery(request.search),
    body: body && parseJson(await readBody(request, bodyLimit)),
    request,
  };
  accept<Asked<Path, Query, Body>>({ query: z.strictObject(Object.fromEntries(query)), body }, parts);
  return parts;
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
  if (error instanceof ConflictError) return refusal(409, 'conflict', error);
  if (error instanceof ForbiddenError) return refusal(403, 'forbidden', error);
  throw error;
}

function refusal(status: number, code: string, { message }: Error): HttpResponse {
  return errorResponseOf(status, { code, message }, defaultSpecGaps);
}
