import type { AnyOperation } from '../../contract/operation.js';
import { operationList } from '../../contract/operations.js';
import { validate } from '../../contract/schema.js';
import type { RequestEntry } from '../model/journal-entry.js';
import { literal, parsed } from './code.js';

const utf8 = new TextDecoder();

/** The parts of a request in the journal. */
export interface RequestInJournal {
  readonly operation: string;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body: string | undefined;
  /** The parameters of the path, such as a contact's id. */
  readonly inPath: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

export function partsOf({ operation: name, method, path, body }: RequestEntry): RequestInJournal {
  const [plain = '', search = ''] = path.replace(/^\/api/, '').split('?');
  const segments = plain.split('/');
  const template = operationNamed(name)?.path.split('/') ?? [];
  const inPath = template.flatMap((part, index) =>
    part.startsWith(':') ? [[part.slice(1), decoded(segments[index] ?? '')]] : [],
  );
  return {
    operation: name,
    method,
    path,
    body: body && utf8.decode(body),
    inPath: Object.fromEntries(inPath),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

/** Returns the arguments of the client's method that sends this request. */
export function inputsOf({ inPath, query, body }: RequestInJournal): readonly unknown[] {
  const given = body === undefined ? [] : [parsed(body)];
  return [...Object.values(inPath), ...Object.values(query), ...given];
}

/** Returns the call of the client that sends this request, such as `contacts.get('contact_1')`. */
export function callOf(parts: RequestInJournal, options?: object): string {
  const given = [...inputsOf(parts), ...(options === undefined ? [] : [options])];
  return `${parts.operation}(${given.map((value) => literal(value)).join(', ')})`;
}

/** Whether the client can send this request. It rejects invalid input. */
export function isOfSdk({ operation, inPath: path, query, body }: RequestInJournal): boolean {
  const request: AnyOperation['request'] = operationNamed(operation)?.request ?? {};
  return (
    fits(request.path, path) &&
    fits(request.query, query) &&
    (request.body === undefined ? body === undefined : fits(request.body, parsed(body ?? '')))
  );
}

function fits(schema: Parameters<typeof validate>[0] | undefined, value: unknown): boolean {
  if (schema === undefined) return Object.keys(Object(value)).length === 0;
  return validate(schema, value).valid;
}

function operationNamed(name: string): AnyOperation | undefined {
  return operationList.find((operation) => operation.name === name);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Returns the request of an operation without path parameters, for an entry whose own request is not in the journal. */
export function requestOf(name: string, body: object | undefined, at: number): RequestEntry {
  const { method = 'GET', path = '/', successes = {} } = operationNamed(name) ?? {};
  const [status = 200] = Object.values(successes);
  return {
    type: 'request',
    at,
    requestId: '',
    operation: name,
    method,
    path: `/api${path}`,
    status,
    ...(body !== undefined && { body: new TextEncoder().encode(JSON.stringify(body)) }),
  };
}
