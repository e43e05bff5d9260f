import * as z from 'zod/mini';
import { phoneSchema } from '../../../contract/phone.js';
import type { Schema } from '../../../contract/schema.js';
import { largestPage, pageSize } from '../../model/page.js';
import { type Duration, isDuration, toMilliseconds } from '../../time/duration.js';
import type { LiveWorkspace } from '../../workspace/live-workspace.js';
import { lostPlus, type ReceivedRequest } from '../received-request.js';

/** The schema and the description of a query parameter. */
export interface QueryParameter<Value> {
  /** The schema of the text in the query. It can convert the value for the rule. */
  readonly schema: Schema<Value>;
  readonly description: string;
}

export type QueryParameters = Readonly<Record<string, QueryParameter<unknown>>>;

/** One operation of the control surface. The routes, the index, the OpenAPI document and the guide read it. */
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
  /** The media type of a streamed success, instead of `result`. */
  readonly stream?: 'text/event-stream';
  /** The possible errors, by status. Every operation can also return 400, 401 and 500. The text of 404 is its message. */
  readonly refusals?: Readonly<Partial<Record<403 | 404 | 408 | 409 | 429 | 503, string>>>;
}

/** An operation with any types. */
export type AnyControlOperation = ControlOperation<string, QueryParameters, unknown, unknown>;

type ParametersOf<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParametersOf<`/${More}`>
    : Rest
  : never;

/** The validated parts of a request. */
export interface Asked<Path extends string, Query extends QueryParameters, Body> {
  readonly path: Readonly<Record<ParametersOf<Path>, string>>;
  readonly query: {
    readonly [Name in keyof Query]: Query[Name] extends QueryParameter<infer Value> ? Value : never;
  };
  readonly body: Body;
  readonly request: ReceivedRequest;
}

/**
 * The implementation of an operation. Returns undefined instead of a result, or false where there is no result, if what the request
 * names does not exist.
 */
export type Rule<Path extends string, Query extends QueryParameters, Body, Result> = (
  workspace: LiveWorkspace,
  asked: Asked<Path, Query, Body>,
) => Promise<Result | boolean | undefined> | Result | boolean | undefined;

/** Makes an entry of the table, with the types that the compiler infers. The default status is 200, or 204 if a success has no body. */
export function operation<
  const Path extends string,
  const Query extends QueryParameters = Record<never, never>,
  Body = undefined,
  Result = void,
>(
  name: string,
  method: ControlOperation<Path, Query, Body, Result>['method'],
  path: Path,
  entry: Omit<ControlOperation<Path, Query, Body, Result>, 'name' | 'method' | 'path' | 'status'> &
    Partial<Pick<ControlOperation<Path, Query, Body, Result>, 'status'>>,
): ControlOperation<Path, Query, Body, Result> {
  const status = entry.result === undefined && entry.stream === undefined ? 204 : 200;
  return { status, ...entry, name, method, path };
}

/** An optional query parameter. */
export function optional<Value>(
  schema: Schema<Value>,
  description: string,
): QueryParameter<Value | undefined> {
  return { schema: z.optional(schema), description };
}

export const text = z.string();

/** A whole number as a query parameter. */
export const wholeNumber = z.pipe(
  text.check(z.regex(/^\d{1,15}$/, 'must be a whole number')),
  z.transform((digits: string) => Number(digits)),
);

/** A boolean as a query parameter. */
export const yesOrNo = z.pipe(
  z.enum(['true', 'false']),
  z.transform((word: 'true' | 'false') => word === 'true'),
);

/** The query parameters of every list. */
export const paging = {
  limit: optional(wholeNumber, `The largest number of items, up to ${largestPage}. Default: ${pageSize}.`),
  cursor: optional(text, 'The `cursor` of the previous response.'),
};

/** One minute, because proxies and clients abort longer requests. In milliseconds. */
const longestWait = 60_000;

/** How long to wait. */
export const waitSchema: Schema<Duration> = z.custom<Duration>(
  (duration) =>
    typeof duration === 'string' && isDuration(duration) && toMilliseconds(duration) <= longestWait,
  'must be a duration with its unit, such as 2s or 500ms, and at most 60s',
);

/** The query parameters of lists that can wait for the next item. */
export const waiting = {
  ...paging,
  wait: optional(
    waitSchema,
    "If no item matches: how long to wait for the first, by the machine's clock, such as 2s. Maximum: 60s.",
  ),
};

/** A contact's id or phone. */
export const contact = optional(
  text.check(z.refine((value) => !/^ \d/.test(value), lostPlus)),
  "The contact's id or phone. Send a + as %2B.",
);

const aboutPhone = "The contact's phone. Send a + as %2B.";
export const requiredPhone: QueryParameter<string> = { schema: phoneSchema, description: aboutPhone };
export const optionalPhone = optional(phoneSchema, aboutPhone);

/** The number of an entry. */
export const since = optional(wholeNumber, 'The number of the last entry that you already have.');
