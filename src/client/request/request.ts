import { filledPath } from '../../contract/filled-path.js';
import type { Operation, OperationRequest, ResultShape } from '../../contract/operation.js';
import { operations } from '../../contract/operations.js';
import type { Redact } from '../../contract/redaction.js';
import { type Schema, validate } from '../../contract/schema.js';
import type { FieldProblem } from '../../foundation/options.js';
import { isThisMachine } from '../../foundation/this-machine.js';
import { InvalidInputError } from '../errors/no-response-errors.js';
import { type Outcome, redactProblems } from '../errors/request-error.js';
import type { TransportRequest } from '../transport/transport.js';
import { lowerCased } from './headers.js';
import type { RequestOptions } from './request-options.js';

/**
 * What a call needs to know of an operation: an entry of the contract's table has all of it, and so has a request that
 * the table does not know, whose response may be anything.
 */
export interface CallableOperation<Request extends OperationRequest, Result>
  extends Pick<Operation<Request, Result>, 'name' | 'path' | 'request' | 'errors' | 'repeatable'> {
  readonly method: Operation<Request, Result>['method'] | 'PATCH';
  readonly result: ResultShape<Result> | { readonly kind: 'anything' };
}

/** The part of an operation that a call needs. */
export type AnyCallable = CallableOperation<OperationRequest, unknown>;

/** A call, and what has become of it so far. */
export interface CallState<Result = unknown> {
  readonly operation: CallableOperation<OperationRequest, Result>;
  /** How many attempts it has made. */
  readonly attempts: number;
  /** The outcome of the call if it ended now. */
  readonly outcome: Outcome;
}

/** A request without the key and the signal, which each attempt adds. */
export type PreparedRequest = Omit<TransportRequest, 'signal' | 'onSending'>;

/** The settings of a client that affect each request. */
export interface RequestSettings {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Whether an address of another machine may use http://. */
  readonly allowInsecureHttp: boolean;
  /** By lower-case name, without the key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly maxResponseBytes: number;
  readonly redact: Redact;
}

/** @throws {InvalidInputError} when the input is invalid. Nothing was sent. */
export function prepareRequest(
  { baseUrl, allowInsecureHttp, headers, maxResponseBytes, redact }: RequestSettings,
  operation: AnyCallable,
  request: OperationRequest,
  options: RequestOptions,
): PreparedRequest {
  const problems = problemsWithInput(operation, request);
  const endpoint = operation.name === operations.webhooks.create.name && problems.length === 0;
  const { url }: { url?: unknown } = request.body ?? {};
  refuse(operation, endpoint ? problemsWithEndpoint(url, allowInsecureHttp) : problems, redact);
  const body = request.body && JSON.stringify(request.body);
  return {
    method: operation.method,
    url: baseUrl + filledPath(operation.path, request.path ?? {}) + queryOf(request),
    headers: {
      ...headers,
      ...(options.headers && lowerCased(options.headers)),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body,
    maxResponseBytes,
  };
}

/** @throws {InvalidInputError} when there are problems with the input. Nothing was sent. */
export function refuse(operation: AnyCallable, problems: readonly FieldProblem[], redact: Redact): void {
  if (problems.length > 0) throw new InvalidInputError(operation.name, redactProblems(problems, redact));
}

function problemsWithInput(operation: AnyCallable, request: OperationRequest): readonly FieldProblem[] {
  const { path, query, body } = operation.request;
  return [
    ...problemsWithPart(path, request.path),
    ...problemsWithPart(query, request.query),
    ...problemsWithPart(body, request.body),
    ...Object.entries(request.path ?? {}).flatMap(([name, value]) => problemWithPathValue(name, value)),
  ];
}

/** Accepts unknown fields, because a newer service may know them. */
function problemsWithPart(schema: Schema<unknown> | undefined, value: unknown): readonly FieldProblem[] {
  const read = schema && validate(schema, value);
  return !read || read.valid ? [] : read.problems.filter(({ kind }) => kind === 'invalid');
}

/**
 * Dots survive `encodeURIComponent`, and URLs resolve them: an id of `..` would address another endpoint.
 * Encoded slashes are decoded again by more than one proxy. The schema has reported a value that is no string.
 */
function problemWithPathValue(field: string, value: unknown): readonly FieldProblem[] {
  if (typeof value !== 'string' || !/^\.\.?$|[/\\\p{Cc}\p{Surrogate}]/u.test(value)) return [];
  return [{ field, message: 'must be no dot segment, and hold no slash, backslash or control character' }];
}

/** Rejects a URL that the service cannot deliver to, or only in clear text. */
function problemsWithEndpoint(url: unknown, allowInsecureHttp: boolean): readonly FieldProblem[] {
  const address = webAddress(url);
  if (address && (allowInsecureHttp || !isCleartext(address))) return [];
  const message = address
    ? "must begin with https://: over http:// deliveries cross the network in clear text. For a network that you trust, set the client's allowInsecureHttp"
    : 'must be a URL, such as https://example.com/hooks';
  return [{ field: 'url', message }];
}

/** Uses `encodeURIComponent`, because the service requires `%2B` for the `+` of a phone number. */
function queryOf({ query }: OperationRequest): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Parses an HTTP or HTTPS URL. `undefined` if the text is not one. */
export function webAddress(text: unknown): URL | undefined {
  if (typeof text !== 'string' || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
}

/** Whether requests to the URL cross a network in clear text. Requests to this machine do not. */
export function isCleartext({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !isThisMachine(hostname);
}
