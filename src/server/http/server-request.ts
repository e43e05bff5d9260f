import type { Operation, OperationRequest } from '../../contract/operation.js';
import { lostPlus } from '../../contract/phone.js';
import {
  findWithSpaceSchema,
  sendWithAnyVariablesSchema,
  subscribeToAllSchema,
  updateWithAnyValuesSchema,
  upsertWithAnyValuesSchema,
} from '../../contract/relaxed-input.js';
import { type Problem, type Schema, unknownFields, validate } from '../../contract/schema.js';
import { type Bytes, joined } from '../../foundation/bytes.js';
import { invalidRequest, ServiceError } from '../model/service-error.js';
import type { SpecGaps } from '../model/spec-gaps.js';

/** A request from a socket or a `Request`, as the application reads it. */
export interface ServerRequest {
  readonly method: string;
  /** The path, with resolved dot segments, still percent-encoded. */
  readonly path: string;
  /** The query with its `?`. Empty if there is none. */
  readonly search: string;
  /** The value of a header, by its name in lower case. */
  header(name: string): string | undefined;
  /** All headers, in the order and the spelling in which they came, as far as the runtime knows them. */
  headers(): Iterable<readonly [name: string, value: string]>;
  /** The address of this server at which the request arrived. Empty for a request without a socket. */
  readonly localAddress: string;
  /** Aborts when the client disconnects. */
  readonly gone: AbortSignal;
  /**
   * The bytes of the body.
   *
   * @param limit - The largest number of bytes.
   * @throws ServiceError if the body is larger, or ends early.
   */
  readBody(limit: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** A request that the server is handling. */
export interface Exchange {
  /** The response header `X-Request-Id`. */
  readonly id: string;
  readonly request: ServerRequest;
  /** The values of the path's parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The bytes of the body, after the server has read them. */
  body?: Uint8Array<ArrayBuffer>;
}

/** Reads a request's JSON body as bytes, or rejects it with 413, 415 or 400. */
export async function readBody(request: ServerRequest, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  checkContentType(request.header('content-type'));
  checkEncoding(request.header('content-encoding') ?? '');
  return request.readBody(limit);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a JSON body, or rejects it with 400. */
export function parseJson(body: Uint8Array): unknown {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw new ServiceError('invalid_json', 'The body is not valid UTF-8.');
  }
  if (text.trim() === '') throw new ServiceError('invalid_json', 'The body is empty. Send a JSON object.');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ServiceError('invalid_json', 'The body is not valid JSON.');
  }
  // The key is written out or escaped. Text without either cannot contain it.
  const forbidden = /__proto__|\\u/.test(text) ? pathOfForbiddenKey(value) : undefined;
  if (forbidden !== undefined) {
    throw invalidRequest([{ field: forbidden, message: 'is a forbidden field name; rename the field' }]);
  }
  return value;
}

function checkContentType(header: string | undefined): void {
  if (header === 'application/json') return;
  const [type = '', ...parameters] = (header ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const otherCharset = parameters.some((parameter) => /^charset=(?!"?utf-8"?$)/.test(parameter));
  if (type === 'application/json' && !otherCharset) return;
  throw new ServiceError(
    'unsupported_media_type',
    'Send the body with Content-Type: application/json, in UTF-8.',
  );
}

function checkEncoding(encoding: string): void {
  if (encoding === '' || /^\s*(identity\s*)?$/i.test(encoding)) return;
  throw new ServiceError(
    'unsupported_media_type',
    'The body has a Content-Encoding, but this server does not decompress bodies. Send it uncompressed.',
  );
}

/** The error for a body that is larger than the limit. */
export function tooLarge(limit: number): ServiceError {
  return new ServiceError(
    'payload_too_large',
    `The body is larger than the limit of ${limit} bytes. Send a smaller one.`,
  );
}

/** The error for a body that ends early. */
export function incompleteBody(): ServiceError {
  return new ServiceError(
    'invalid_json',
    'The connection closed before the end of the body. Send the request again.',
  );
}

/** The pieces of a body, up to a limit in bytes. */
export class BodyPieces {
  readonly #limit: number;
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @throws ServiceError if the body is larger than the limit. */
  add(piece: Uint8Array): void {
    this.#length += piece.byteLength;
    if (this.#length > this.#limit) throw tooLarge(this.#limit);
    this.#pieces.push(piece);
  }

  join(): Bytes {
    return joined(this.#pieces);
  }
}

/**
 * Returns the path of a key named `__proto__`, because a careless copy of the object would set its prototype. Does not use
 * recursion, because a body can nest as deeply as its size allows.
 */
function pathOfForbiddenKey(value: unknown): string | undefined {
  const toVisit: { readonly value: unknown; readonly path: string }[] = [{ value, path: '' }];
  for (let next = toVisit.pop(); next !== undefined; next = toVisit.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    const isList = Array.isArray(next.value);
    for (const [key, child] of Object.entries(next.value)) {
      const path = isList ? `${next.path}[${key}]` : next.path === '' ? key : `${next.path}.${key}`;
      if (key === '__proto__') return path;
      toVisit.push({ value: child, path });
    }
  }
  return undefined;
}

/** The parts of a request, before and after their validation. */
type Parts = Partial<Record<keyof OperationRequest, unknown>>;

/** Validates the parts of a request against the operation, or rejects the request. */
export function readRequest<Request extends OperationRequest, Result, Outcome extends string>(
  { name, request }: Operation<Request, Result, Outcome>,
  { parameters, request: { search }, body }: Exchange,
  gaps: SpecGaps,
): Request {
  const more = wider[name]?.(gaps);
  const contract: RequestSchemas = request;
  const schemas = more ? { ...contract, ...more } : contract;
  const parts: Parts = {};
  if (schemas.path !== undefined) parts.path = parameters;
  parts.query = readQuery(search);
  if (body !== undefined) parts.body = parseJson(body);
  accept<Request>(schemas, parts);
  return parts;
}

/** Parses the query. A repeated parameter becomes an array, which its schema rejects. */
export function readQuery(search: string): Readonly<Record<string, unknown>> {
  if (search === '') return {};
  const query = new URLSearchParams(search);
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

/** Replaces each part with the result of its schema, or rejects the request. */
export function accept<Request extends Parts>(
  schemas: RequestSchemas,
  parts: Parts,
): asserts parts is Request {
  const problems = (['path', 'query', 'body'] as const).flatMap((part) => {
    const schema = schemas[part];
    const given = parts[part];
    if (schema === undefined) return part === 'query' ? unknownParameters(given, {}) : [];
    const validation = validate(schema, given);
    if (validation.valid) {
      parts[part] = validation.value;
      return part === 'query' ? unknownParameters(given, validation.value) : [];
    }
    return part === 'query'
      ? validation.problems.map((problem) => explainLostPlus(problem, given))
      : validation.problems;
  });
  if (problems.length > 0) throw invalidRequest(problems.map(({ field, message }) => ({ field, message })));
}

/** The query parameters that the schema does not have. */
function unknownParameters(given: unknown, taken: unknown): readonly Problem[] {
  const known = Object.keys(Object(taken));
  const unknown = Object.keys(Object(given)).filter((field) => !known.includes(field));
  return unknownFields(unknown, known);
}

/** Explains an unencoded + in GET /v1/contacts/find, which arrives as a space. */
function explainLostPlus(problem: Problem, query: unknown): Problem {
  const value = typeof query === 'object' && query !== null ? Reflect.get(query, problem.field) : undefined;
  if (typeof value !== 'string' || !/^ \d/.test(value)) return problem;
  return { ...problem, message: lostPlus };
}

/** The schema of each part of a request. */
type RequestSchemas = { readonly [Part in keyof OperationRequest]?: Schema<unknown> | undefined };

/** What an operation accepts beyond the contract, because a rule or `specGaps` does. */
const wider: Readonly<Record<string, (gaps: SpecGaps) => RequestSchemas | false>> = {
  'contacts.upsert': ({ nestedProperty }) =>
    nestedProperty === 'accept' && { body: upsertWithAnyValuesSchema },
  'contacts.update': ({ nestedProperty }) =>
    nestedProperty === 'accept' && { body: updateWithAnyValuesSchema },
  'contacts.find': ({ unencodedPlus }) => unencodedPlus === 'accept' && { query: findWithSpaceSchema },
  'transactional.send': () => ({ body: sendWithAnyVariablesSchema }),
  'webhooks.create': ({ requiredWebhookFields }) =>
    requiredWebhookFields === 'url' && { body: subscribeToAllSchema },
};
