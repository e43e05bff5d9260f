import type { Schema } from '../../../contract/schema.js';
import type { LiveWorkspace } from '../../workspace/live-workspace.js';
import type { ReceivedRequest } from '../received-request.js';

/** What a query may say under one name. */
export interface QueryParameter<Value> {
  /** Of the text as it stands in the query; the value that a rule gets may be another. */
  readonly schema: Schema<Value>;
  readonly description: string;
}

export type QueryParameters = Readonly<Record<string, QueryParameter<unknown>>>;

/** One thing that a test can do over HTTP: all that the routes, the index, the OpenAPI document and the guide know of it. */
export interface ControlOperation<Path extends string, Query extends QueryParameters, Body, Result> {
  /** As a program calls it on a workspace. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `:name` for a parameter. */
  readonly path: Path;
  /** What it does, in a line. */
  readonly summary: string;
  readonly query?: Query;
  readonly body?: Schema<Body>;
  /** How many bytes the body may have, where that is more than a request of the service may. */
  readonly bodyLimit?: number;
  /** The status of a success. */
  readonly status: 200 | 201 | 202 | 204;
  /** The body of a success, where it has one. */
  readonly result?: Schema<Result>;
  /** What else may come back than a success, by its status; 400, 401 and 500 may come back always. */
  readonly refusals?: Readonly<Partial<Record<403 | 404 | 408 | 429 | 503, string>>>;
}

/** An operation of which only the shape matters. */
export type AnyControlOperation = ControlOperation<string, QueryParameters, unknown, unknown>;

type ParametersOf<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParametersOf<`/${More}`>
    : Rest
  : never;

/** What a request asks for, once it is known to be right. */
export interface Asked<Path extends string, Query extends QueryParameters, Body> {
  readonly path: Readonly<Record<ParametersOf<Path>, string>>;
  readonly query: {
    readonly [Name in keyof Query]: Query[Name] extends QueryParameter<infer Value> ? Value : never;
  };
  readonly body: Body;
  readonly request: ReceivedRequest;
}

/** What an operation does. */
export type Rule<Path extends string, Query extends QueryParameters, Body, Result> = (
  workspace: LiveWorkspace,
  asked: Asked<Path, Query, Body>,
) => Promise<Result> | Result;

/** States an entry's types, and lets the compiler hold the entry to them. */
export function operation<
  const Path extends string,
  const Query extends QueryParameters = Record<never, never>,
  Body = undefined,
  Result = undefined,
>(entry: ControlOperation<Path, Query, Body, Result>): ControlOperation<Path, Query, Body, Result> {
  return entry;
}
