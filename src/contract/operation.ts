import type { OperationError } from './error.js';
import { nonEmptyString, object, type Schema } from './schema.js';

/** The parts of a request other than the key: values for the path, the query and the body. */
export interface OperationRequest {
  readonly path?: Readonly<Record<string, string>> | undefined;
  /** Undefined values are omitted. */
  readonly query?: Readonly<Record<string, string | undefined>> | undefined;
  readonly body?: object | undefined;
}

/**
 * How to read the body of a success.
 *
 * - `record`: one object. The reference server sends the object itself; another service may send it in a field named in
 *   `envelopes`. `mayBeAbsent`: a success can have no body. `confirmedBy`: the field whose `true` says that the request
 *   was carried out; such a record needs no id.
 * - `list`: an array. The reference server sends it in the field that `envelopes` names first; another service may send
 *   it in another of them, or as the whole body.
 * - `nothing`: no body.
 */
export type ResultShape<Result> =
  | {
      readonly kind: 'record';
      readonly schema: Schema<NonNullable<Result>>;
      readonly envelopes: readonly string[];
      readonly mayBeAbsent?: true;
      readonly confirmedBy?: string;
    }
  | {
      readonly kind: 'list';
      readonly schema: Schema<Result>;
      readonly envelopes: readonly [string, ...string[]];
    }
  | { readonly kind: 'nothing' };

/** One endpoint, for the client, the server, the OpenAPI document and the contract tests. */
export interface Operation<Request extends OperationRequest, Result, Outcome extends string = string> {
  /** Resource and verb, as in the client: `contacts.upsert`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Relative to the base URL, with `:name` for a path parameter. */
  readonly path: string;
  /** A schema for each part of the request. */
  readonly request: { readonly [Part in keyof Request]: Schema<Request[Part]> };
  /** The status of each way to succeed. */
  readonly successes: Readonly<Record<Outcome, number>>;
  readonly result: ResultShape<Result>;
  /** The parts of a success that the service does not document. Empty if it documents all. */
  readonly notShown: readonly ('status' | 'body')[];
  /** The errors particular to this operation. */
  readonly errors: readonly OperationError[];
  /**
   * Whether two requests have the same effect as one. If so, the client can retry the request after a lost response.
   */
  readonly repeatable: boolean;
}

/** An operation of any request and result. */
export type AnyOperation = Operation<OperationRequest, unknown>;

/** Checks an entry against the types that its call names. */
export function operation<Request extends OperationRequest, Result, Outcome extends string>(
  entry: Operation<Request, Result, Outcome>,
): Operation<Request, Result, Outcome> {
  return entry;
}

/** The field of a result whose `true` says that the request was carried out. `undefined`: every success says so. */
export function confirmingField({ result }: { readonly result: object }): string | undefined {
  const field: unknown = Reflect.get(result, 'confirmedBy');
  return typeof field === 'string' ? field : undefined;
}

/** Whether a success says that the request was carried out. */
export function isConfirmed(operation: { readonly result: object }, data: unknown): boolean {
  const field = confirmingField(operation);
  return field === undefined || Reflect.get(Object(data), field) === true;
}

/** The parameter of a path that ends with `:id`. */
export const idInPath: Schema<{ id: string }> = object({ id: nonEmptyString });
