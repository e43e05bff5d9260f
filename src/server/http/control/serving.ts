import * as z from 'zod/mini';
import { ConflictError, ServiceError } from '../../model/service-error.js';
import { defaultSpecGaps } from '../../model/spec-gaps.js';
import { errorResponseOf, type HttpResponse, jsonResponse, type Reply } from '../../responses/response.js';
import type {
  AnyControlOperation,
  Asked,
  ControlledServer,
  QueryParameters,
} from '../../subjects/operation.js';
import { WaitEndedError, WaitTimeoutError } from '../../subjects/wait.js';
import { ForbiddenError } from '../../subjects/workspaces.js';
import { type Application, bearerKey } from '../application.js';
import { accept, type Exchange, parseJson, readBody, readQuery } from '../server-request.js';

/** What an operation with any types is asked. */
export type AnyAsked = Asked<string, QueryParameters, unknown>;

/** Serves an operation with its rule. */
export function serveRule(
  application: Application,
  server: ControlledServer,
  operation: AnyControlOperation,
  rule: NonNullable<AnyControlOperation['rule']>,
): void {
  const { method, path, status, result: shape, refusals } = operation;
  application.handle(method, path, async (exchange, workspace) => {
    const asked = await readControlRequest(application, server, operation, exchange);
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
export async function readControlRequest(
  application: Application,
  server: ControlledServer,
  operation: AnyControlOperation,
  { request, parameters: path }: Exchange,
): Promise<AnyAsked> {
  const { body, bodyLimit = application.bodyLimit } = operation;
  const query = Object.entries(operation.query ?? {}).map(([name, { schema }]) => [name, schema] as const);
  const parts = {
    path,
    query: readQuery(request.search),
    body: body && parseJson(await readBody(request, bodyLimit)),
  };
  accept({ query: z.strictObject(Object.fromEntries(query)), body }, parts);
  const { gone } = request;
  const apiKey = bearerKey(request.header('authorization')) ?? '';
  return { ...parts, request: { apiKey, gone, header: (name) => request.header(name) }, server };
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
