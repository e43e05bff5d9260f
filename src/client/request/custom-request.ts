import type { OperationRequest } from '../../contract/operation.js';
import type { Redact } from '../../contract/redaction.js';
import type { FieldProblem } from '../../foundation/field-problem.js';
import { isObject } from '../../foundation/is-object.js';
import { InvalidInputError } from '../errors/usage-errors.js';
import type { CallableOperation } from './callable-operation.js';

/**
 * A request that this package has no method for: to an endpoint that is newer than it, say.
 *
 * @example
 * ```ts
 * import { type CustomRequest, MessagingAutomation } from 'messaging-automation';
 *
 * const request: CustomRequest = { method: 'GET', path: '/v1/contacts/:id', params: { id: 'unknown' } };
 * await new MessagingAutomation().request(request).catch((error) => console.error(error.status));
 * ```
 */
export interface CustomRequest {
  /** The HTTP method. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * The path, relative to the base URL, as in `/v1/contacts/:id/events`. Logs, traces and errors show it, so its
   * values go into `params`.
   */
  readonly path: string;
  /** The value of each `:name` in the path. The client encodes them. */
  readonly params?: Readonly<Record<string, string>> | undefined;
  /** The query. The client encodes it, and leaves out what is undefined, such as a cursor that there is not yet. */
  readonly query?: Readonly<Record<string, string | undefined>> | undefined;
  /** What is sent as JSON. */
  readonly body?: object | undefined;
  /**
   * Whether the service does no more for two of these requests than for one. Only such a request is made again when its
   * answer was lost. Default: true for GET, PUT and DELETE.
   */
  readonly repeatable?: boolean | undefined;
}

const methods: readonly unknown[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The request as an operation of its own, which gives whatever JSON the service answers with. */
export function customOperation({
  method,
  path,
  repeatable,
}: CustomRequest): CallableOperation<OperationRequest, unknown> {
  return {
    name: `${method} ${path}`,
    method,
    path,
    request: {},
    result: { kind: 'anything' },
    errors: [],
    repeatable: repeatable ?? ['GET', 'PUT', 'DELETE'].includes(method),
  };
}

/** What the request carries. */
export function partsOf({ params: path, query, body }: CustomRequest): OperationRequest {
  return { ...(path && { path }), ...(query && { query }), ...(body && { body }) };
}

/** @throws {InvalidInputError} where the request makes no sense; then nothing has been sent. */
export function checkCustomRequest(given: CustomRequest, redact: Redact): void {
  const problems = problemsWith(given, redact);
  if (problems.length > 0) throw new InvalidInputError('request', problems);
}

function problemsWith(
  { method, path, params = {}, query = {}, body }: CustomRequest,
  redact: Redact,
): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const add = (field: string, message: string) => problems.push({ field, message });
  if (!methods.includes(method)) add('method', `must be one of ${methods.join(', ')}`);
  if (typeof path !== 'string' || !/^(\/(?!\.\.?(\/|$))[\w.~:-]+)+$/.test(path))
    add('path', "must be a path such as '/v1/contacts/:id', without query; values go into params");
  else if (redact(path) !== path) add('path', 'must hold no key and no phone number; values go into params');
  else if (namesIn(path).some((name) => typeof params[name] !== 'string'))
    add('params', 'must give a string for each :name in the path');
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && typeof value !== 'string') add(`query.${name}`, 'must be a string');
  if (body !== undefined && !isObject(body) && !Array.isArray(body))
    add('body', 'must be an object or an array');
  return problems;
}

function namesIn(path: string): readonly string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}
