import { type Problem, validate } from '../../../contract/schema.js';
import { type Answer, errorAnswerOf, jsonAnswer, type Reply } from '../../answers/answer.js';
import { closestTo } from '../../model/did-you-mean.js';
import { invalidRequest, ServiceError } from '../../model/service-error.js';
import { defaultSpecGaps } from '../../model/spec-gaps.js';
import { WaitEndedError, WaitTimeoutError } from '../../workspace-api/wait.js';
import type { Application } from '../application.js';
import { type Exchange, parseJson, type ReceivedRequest, readBody } from '../received-request.js';
import { readQuery } from '../validation.js';
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
        return jsonAnswer(operation.status, result);
      } catch (error) {
        return answerTo(error, exchange.request.gone.aborted);
      }
    });
}

/** Validates the parts of a request with the schemas of its operation, or rejects the request. */
export async function readControlRequest<Path extends string, Query extends QueryParameters, Body, Result>(
  application: Application,
  operation: ControlOperation<Path, Query, Body, Result>,
  { request, parameters }: Exchange,
): Promise<Asked<Path, Query, Body>> {
  const limit = operation.bodyLimit ?? application.bodyLimit;
  const parts: Parts = {
    path: parameters,
    query: readQuery(request.search),
    body: operation.body && parseJson(await readBody(request, limit)),
    request,
  };
  accept(operation, parts);
  return parts;
}

/** A request before validation. */
interface Parts {
  readonly path: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
  readonly request: ReceivedRequest;
}

/** Replaces each part with the result of its schema, or rejects the request. */
function accept<Path extends string, Query extends QueryParameters, Body, Result>(
  operation: ControlOperation<Path, Query, Body, Result>,
  parts: Parts,
): asserts parts is Parts & Asked<Path, Query, Body> {
  const problems: Problem[] = [];
  const query: Record<string, unknown> = {};
  for (const [name, { schema }] of Object.entries(operation.query ?? {})) {
    const validation = validate(schema, parts.query[name]);
    if (validation.valid) query[name] = validation.value;
    else problems.push(...validation.problems.map((problem) => ({ ...problem, field: name })));
  }
  problems.push(...unknownParameters(operation, Object.keys(parts.query)));
  parts.query = query;
  if (operation.body !== undefined) {
    const validation = validate(operation.body, parts.body);
    if (validation.valid) parts.body = validation.value;
    else problems.push(...validation.problems);
  }
  if (problems.length > 0) throw invalidRequest(problems.map(({ field, message }) => ({ field, message })));
}

function unknownParameters<Path extends string, Query extends QueryParameters, Body, Result>(
  { method, path, query }: ControlOperation<Path, Query, Body, Result>,
  given: readonly string[],
): readonly Problem[] {
  const known = Object.keys(query ?? {});
  return given
    .filter((name) => !known.includes(name))
    .map((field) => {
      const closest = closestTo(field, known);
      const meant = closest === undefined ? '' : ` Did you mean ${closest}?`;
      const there = known.length === 0 ? 'It has no parameters' : `Its parameters: ${known.join(', ')}`;
      return {
        field,
        message: `is not a parameter of ${method} ${path}.${meant} ${there}`,
        kind: 'unknown_field',
      };
    });
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
export function answerTo(error: unknown, readerIsGone: boolean): Reply {
  if (error instanceof WaitEndedError && readerIsGone) return { status: 'reset' };
  if (error instanceof WaitEndedError) return refusal(503, 'closing', error);
  if (error instanceof WaitTimeoutError) return refusal(408, 'wait_timeout', error);
  if (error instanceof ForbiddenError) return refusal(403, 'forbidden', error);
  throw error;
}

function refusal(status: number, code: string, { message }: Error): Answer {
  return errorAnswerOf(status, { code, message }, defaultSpecGaps);
}
