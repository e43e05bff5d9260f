import { problemWithPayload } from './json-payload.js';
import { mapOf } from './map-schema.js';
import { phoneSchema } from './phone.js';
import {
  booleanSchema,
  fitting,
  looseObject,
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
  /** Any other field that the service sends. */
  readonly [field: string]: unknown;
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
