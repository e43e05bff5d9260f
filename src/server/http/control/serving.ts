import { type Problem, validate } from '../../../contract/schema.js';
import { jsonAnswer } from '../../answers/answer.js';
import { closestTo } from '../../model/did-you-mean.js';
import { invalidRequest } from '../../model/service-error.js';
import type { Application } from '../application.js';
import type { Exchange, ReceivedRequest } from '../received-request.js';
import { parseJson, readBody } from '../request-body.js';
import { readQuery } from '../validation.js';
import type { Asked, ControlOperation, QueryParameters, Rule } from './control-operation.js';
import { answerTo } from './refusal.js';

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
