import type { Schema } from '../../contract/schema.js';
import { ServiceError } from '../model/service-error.js';
import type { WorkspaceSeed } from '../seed/workspace-seed.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import type { EventStream } from './event-stream.js';
import type { WatchChanges } from './journal/follow.js';

/** The schema and the description of a query parameter. */
export interface QueryParameter<Value> {
  /** The schema of the text in the query. It can convert the value for the rule. */
  readonly schema: Schema<Value>;
  readonly description: string;
}

export type QueryParameters = Readonly<Record<string, QueryParameter<unknown>>>;

/**
 * One operation of the control surface: what it takes, what it returns, and its rule. The routes, the index, the OpenAPI document, the
 * guide, the commands and the tools for agents read it.
 */
export interface ControlOperation<Path extends string, Query extends QueryParameters, Body, Result> {
  /** The name of the call in a program. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path. `:name` is a parameter. */
  readonly path: Path;
  /** The summary, in one line. */
  readonly summary: string;
  readonly query?: Query;
  readonly body?: Schema<Body>;
  /** The body limit in bytes, if it is larger than the service's limit. */
  readonly bodyLimit?: number;
  /** The status of a success. */
  readonly status: 200 | 201 | 202 | 204;
  /** The body of a success, if there is one. */
  readonly result?: Schema<Result>;
  /** The possible errors, by status. Every operation can also return 400, 401 and 500. The text of 404 is its message. */
  readonly refusals?: Readonly<Partial<Record<403 | 404 | 408 | 409 | 429 | 503, string>>>;
  /**
   * What it does. Returns undefined instead of a result, or false where there is no result, if what the request names does not exist.
   * It runs in the workspace that the key of the request opens.
   */
  rule?(workspace: LiveWorkspace, asked: Asked<Path, Query, Body>): Eventual<Result | boolean | undefined>;
  /** What it streams as server-sent events, instead of a result. */
  stream?(workspace: LiveWorkspace, asked: Asked<Path, Query, Body>): Eventual<EventStream<unknown>>;
}

type Eventual<Value> = Promise<Value> | Value;

/** An operation with any types. */
export type AnyControlOperation = ControlOperation<string, QueryParameters, unknown, unknown>;

type ParametersOf<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParametersOf<`/${More}`>
    : Rest
  : never;

/** What an operation is asked: the validated parts of a request, who sent it, and the server that got it. */
export interface Asked<Path extends string, Query extends QueryParameters, Body> {
  readonly path: Readonly<Record<ParametersOf<Path>, string>>;
  readonly query: {
    readonly [Name in keyof Query]: Query[Name] extends QueryParameter<infer Value> ? Value : never;
  };
  readonly body: Body;
  readonly request: ControlCaller;
  readonly server: ControlledServer;
}

/** The parts of a request for an operation, as a client of the control surface gives them. */
export interface CallParts<Path extends string, Query extends QueryParameters, Body> {
  readonly path?: Asked<Path, Query, Body>['path'];
  readonly query?: { readonly [Name in keyof Query]?: string | number | undefined };
  readonly body?: Body;
}

/** Who sent a request. */
export interface ControlCaller {
  /** The key with which it opens its workspace. */
  readonly apiKey: string;
  /** Aborts when the client disconnects. */
  readonly gone: AbortSignal;
  /** The value of a header, by its name in lower case. */
  header(name: string): string | undefined;
}

/** The server, for the operations that concern more than one workspace. */
export interface ControlledServer {
  /** The server's own workspace. It closes with the server. */
  readonly first: LiveWorkspace;
  /** @throws ConfigurationError, or rejects `ready` with one, if the seed is invalid, or another workspace has its id or key. */
  create(seed: WorkspaceSeed): LiveWorkspace;
  /** The workspaces, the first one first. */
  all(): Promise<readonly LiveWorkspace[]>;
  /** Closes a workspace. False if no workspace has the id. */
  remove(id: string): Promise<boolean>;
  readonly watchChanges: WatchChanges;
  /** The failed test that left the state of the server. Undefined if none did. */
  readonly failedTest: FailedTest | undefined;
}

/** A test that failed, and what its error said. */
export type FailedTest = {
  readonly name: string;
  readonly error: string;
};

/** What an operation has besides its name, method and path. */
type Entry<Path extends string, Query extends QueryParameters, Body, Result> = Omit<
  ControlOperation<Path, Query, Body, Result>,
  'name' | 'method' | 'path' | 'status' | 'rule' | 'stream'
> &
  Partial<Pick<ControlOperation<Path, Query, Body, Result>, 'status'>>;

type Rule<Path extends string, Query extends QueryParameters, Body, Result> = NonNullable<
  ControlOperation<Path, Query, Body, Result>['rule']
>;

/** Makes an operation, with the types that the compiler infers. The default status is 200, or 204 if a success has no body. */
export function operation<
  const Path extends string,
  const Query extends QueryParameters = Record<never, never>,
  Body = undefined,
  Result = void,
>(
  name: string,
  method: ControlOperation<Path, Query, Body, Result>['method'],
  path: Path,
  entry: Entry<Path, Query, Body, Result> & { readonly rule: Rule<Path, Query, Body, NoInfer<Result>> },
): ControlOperation<Path, Query, Body, Result> {
  return { status: entry.result === undefined ? 204 : 200, ...entry, name, method, path };
}

/** Makes an operation that streams server-sent events. */
export function stream<
  const Path extends string,
  const Query extends QueryParameters = Record<never, never>,
  Item = never,
>(
  name: string,
  path: Path,
  entry: Entry<Path, Query, undefined, void> & {
    open(workspace: LiveWorkspace, asked: Asked<Path, Query, undefined>): Eventual<EventStream<Item>>;
  },
): ControlOperation<Path, Query, undefined, void> {
  const { open, ...others } = entry;
  return { status: 200, ...others, name, method: 'GET', path, stream: open };
}

/** Makes an operation that says what the surface has. It needs no key and no workspace. */
export function description<const Path extends string>(
  name: string,
  path: Path,
  summary: string,
): ControlOperation<Path, Record<never, never>, undefined, void> {
  return { status: 200, name, method: 'GET', path, summary };
}

/** Turns an error about invalid input into a response with status 400. */
export async function orInvalid<Result>(perform: () => Eventual<Result>): Promise<Result> {
  try {
    return await perform();
  } catch (error) {
    const { name, message } = Object(error);
    if (!['ConfigurationError', 'TypeError', 'RangeError'].includes(name)) throw error;
    throw new ServiceError('invalid_request', String(message));
  }
}
