import { errorsOfBodies } from './error.js';
import { operation } from './operation.js';
import { phoneSchema } from './phone.js';
import {
  booleanSchema,
  fitting,
  type InnerProblem,
  isJsonObject,
  looseObject,
  mapOf,
  nonEmptyString,
  optional,
  type Schema,
  strictObject,
} from './schema.js';

/** The request body of POST /v1/events. It has `contactId` or `phone`. */
export interface TrackBody {
  readonly event: string;
  readonly contactId?: string | undefined;
  readonly phone?: string | undefined;
  readonly properties?: EventProperties | undefined;
}

/** The payload of a tracked event: any JSON object. */
export type EventProperties = Readonly<Record<string, unknown>>;

/** The contact of an event, named by `contactId` or by `phone`, not by both. */
export type EventContact =
  | {
      /** The contact's id. */
      readonly contactId: string;
      readonly phone?: never;
    }
  | {
      /** The contact's phone number in E.164 format. */
      readonly phone: string;
      readonly contactId?: never;
    };

/** The input of `events.track`: an event of one contact, named by `contactId` or by `phone`, not by both. */
export type TrackInput = {
  /** The name of the event. The service recommends stable snake_case names. */
  readonly event: string;
  /**
   * The payload, for journeys and segments: any object that JSON can represent, at most 32 levels deep. The client
   * omits a field that is `undefined`, and sends the result of `toJSON` for a value that has it, such as a date.
   * Default: none.
   */
  readonly properties?: EventProperties | (object & { readonly [Symbol.iterator]?: never }) | undefined;
} & EventContact;

/** The result of `events.track`. The service processes the event after this response. */
export interface TrackResult {
  /** True when the service accepted the event. `undefined` if its response does not say so. */
  readonly accepted: boolean | undefined;
  /** True if an earlier call with the same `idempotencyKey` has tracked the event, and this one sent nothing. Set by the client. */
  readonly replayed?: true;
  /** Any other field that the service sends. */
  readonly [field: string]: unknown;
}

/** The maximum nesting depth of the properties of an event. The properties are the first level. */
export const maxEventDepth = 32;

const notJson = 'must be a value of JSON: a string, a finite number, a boolean, null, a list or an object';
const tooDeep = `must be nested at most ${maxEventDepth} levels deep, without a reference to itself`;

/**
 * The first problem of a value that JSON cannot represent. `JSON.stringify` would change it without an error (`NaN`, a
 * `Map`, `undefined` in a list) or fail (a BigInt, a reference to itself). Of a value with a `toJSON` method, such as a
 * date, it checks the result of that method.
 */
export function problemWithPayload(value: unknown): InnerProblem | undefined {
  try {
    return problemAt(value, [], 2);
  } catch {
    return { path: [], message: 'cannot be read: one of its getters or its toJSON throws an error' };
  }
}

function problemAt(given: unknown, path: readonly PropertyKey[], depth: number): InnerProblem | undefined {
  const value = writtenBy(given);
  // The toJSON of an invalid date returns null.
  if (value === null) return given === null ? undefined : { path, message: notJson };
  if (typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return undefined;
  const isList = Array.isArray(value);
  if (!isList && !isJsonObject(value)) return { path, message: notJson };
  if (depth > maxEventDepth) return { path, message: tooDeep };
  const fields: Iterable<[PropertyKey, unknown]> = isList ? value.entries() : Object.entries(value);
  for (const [name, inner] of fields) {
    if (inner === undefined && !isList) continue;
    const problem = problemAt(inner, [...path, name], depth + 1);
    if (problem) return problem;
  }
  return undefined;
}

function writtenBy(value: unknown): unknown {
  if (typeof value !== 'bigint' && (typeof value !== 'object' || value === null)) return value;
  const toJson: unknown = Reflect.get(Object(value), 'toJSON');
  return typeof toJson === 'function' ? toJson.call(value) : value;
}

/** The payload of a tracked event. */
export const eventPropertiesSchema: Schema<EventProperties> = mapOf(problemWithPayload);

/** The request body of POST /v1/events. */
export const trackSchema: Schema<TrackBody> = fitting(
  fitting(
    strictObject({
      event: nonEmptyString,
      contactId: optional(nonEmptyString),
      phone: optional(phoneSchema),
      properties: optional(eventPropertiesSchema),
    }),
    (body) => body.contactId !== undefined || body.phone !== undefined,
    'is required if there is no phone: name the contact by contactId or by phone',
    ['contactId'],
  ),
  (body) => body.contactId === undefined || body.phone === undefined,
  'cannot be combined with phone: name the contact by contactId or by phone, not by both',
  ['contactId'],
);

/** The response body of POST /v1/events. */
export const trackResultSchema: Schema<TrackResult> = looseObject({ accepted: booleanSchema });

/** The operations of /v1/events. */
export const eventOperations = {
  track: operation<{ body: TrackBody }, TrackResult, 'accepted'>({
    name: 'events.track',
    method: 'POST',
    path: '/v1/events',
    request: { body: trackSchema },
    successes: { accepted: 202 },
    result: { kind: 'record', schema: trackResultSchema, envelopes: ['data'], confirmedBy: 'accepted' },
    notShown: [],
    errors: [
      { code: 'not_found', condition: 'The contact does not exist.', shown: 'status' },
      ...errorsOfBodies,
    ],
    repeatable: false, // a second event may start a journey a second time
  }),
};
