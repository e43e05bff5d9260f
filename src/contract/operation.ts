import type { OperationError } from './error.js';
import type { Schema } from './schema.js';

/** What a request carries besides the key: values for the path, the query and the body. */
export interface OperationRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/**
 * How the body of a success is read.
 *
 * - `record`: one object. The reference server sends it bare; `envelopes` are names it may stand under
 *   instead, and `mayBeAbsent` says that a success without a body is no surprise. `impliedByStatus` is what
 *   the document lets the status of a success say by itself, for when the body does not.
 * - `list`: an array. The reference server sends it under the first of `envelopes`; it may stand under
 *   another of them, or alone.
 * - `nothing`: no body.
 */
export type ResultShape<Result> =
  | {
      readonly kind: 'record';
      readonly schema: Schema<NonNullable<Result>>;
      readonly envelopes: readonly string[];
      readonly mayBeAbsent: boolean;
      readonly impliedByStatus?: NonNullable<Result>;
    }
  | {
      readonly kind: 'list';
      readonly schema: Schema<Result>;
      readonly envelopes: readonly [string, ...string[]];
    }
  | { readonly kind: 'nothing' };

/** One endpoint: all that the client, the server, the OpenAPI document and the contract tests know of it. */
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
  /** What the document does not show of the successes; empty when it shows all. */
  readonly notShown: readonly ('status' | 'body')[];
  /** The errors particular to this operation. */
  readonly errors: readonly OperationError[];
  /**
   * Whether sending the request twice does no more than sending it once. Decides what the client may retry
   * after it lost an answer.
   */
  readonly repeatable: boolean;
}

/** An operation of which only the shape matters. */
export type AnyOperation = Operation<OperationRequest, unknown>;

/** States an entry's types in words, and lets the compiler hold the entry to them. */
export function operation<Request extends OperationRequest, Result, Outcome extends string>(
  entry: Operation<Request, Result, Outcome>,
): Operation<Request, Result, Outcome> {
  return entry;
}
