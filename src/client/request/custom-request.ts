import type { OperationRequest } from '../../contract/operation.js';
import type { Redact } from '../../contract/redaction.js';
import { isObject } from '../../foundation/is-object.js';
import {
  anObject,
  type FieldProblem,
  type OptionChecks,
  oneOf,
  problemsWith,
  required,
  trueOrFalse,
} from '../../foundation/options.js';
import { InvalidInputError } from '../errors/no-response-errors.js';
import type { CallableOperation } from './request.js';

/**
 * A request to an endpoint that this package has no method for, such as a newer one.
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
   * The path relative to the base URL, such as `/v1/contacts/:id/events`. Logs, traces and errors show it, so put
   * values into `params`.
   */
  readonly path: string;
  /** A value for each `:name` in the path. The client encodes them. Default: none. */
  readonly params?: Readonly<Record<string, string>> | undefined;
  /** The query parameters. The client encodes them, and omits those that are `undefined`. Default: none. */
  readonly query?: Readonly<Record<string, string | undefined>> | undefined;
  /** The request body, which the client sends as JSON. Default: none. */
  readonly body?: object | undefined;
  /**
   * Whether the request is idempotent. If its response is lost, the client retries it only then. Default: true for GET,
   * PUT and DELETE, else false.
   */
  readonly repeatable?: boolean | undefined;
}

/** Describes the request as an operation whose result is any JSON. */
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

const checks: OptionChecks = {
  method: required(oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
  path: [
    (value) => typeof value === 'string' && /^(\/(?!\.\.?(\/|$))[\w.~:-]+)+$/.test(value),
    "a path such as '/v1/contacts/:id', without query; values go into params",
    'required',
  ],
  params: anObject,
  query: anObject,
  body: [(value) => isObject(value) || Array.isArray(value), 'an object or an array'],
  repeatable: trueOrFalse,
};

/** @throws {InvalidInputError} when the request is invalid. Nothing was sent. */
export function checkCustomRequest(request: CustomRequest, redact: Redact): void {
  const problems = problemsWith(request, checks);
  const found = problems.length > 0 ? problems : problemsWithParts(request, redact);
  if (found.length > 0) throw new InvalidInputError('request', found);
}

function problemsWithParts(
  { path, params = {}, query = {} }: CustomRequest,
  redact: Redact,
): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const add = (field: string, message: string) => problems.push({ field, message });
  if (redact(path) !== path) add('path', 'must not contain a key or a phone number; values go into params');
  else if ([...path.matchAll(/:(\w+)/g)].some(([, name = '']) => typeof params[name] !== 'string'))
    add('params', 'must give a string for each :name in the path');
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && typeof value !== 'string') add(`query.${name}`, 'must be a string');
  return problems;
}
