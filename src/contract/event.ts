import * as z from 'zod/mini';
import { problemWithPayload } from './json-payload.js';
import { mapOf } from './map-schema.js';
import { phoneSchema } from './phone.js';
import { booleanSchema, nonEmptyString, type Schema } from './schema.js';

/** The body of POST /v1/events (document §2, tracked event). It has `contactId` or `phone`. */
export interface TrackBody {
  readonly event: string;
  readonly contactId?: string | undefined;
  readonly phone?: string | undefined;
  readonly properties?: EventProperties | undefined;
}

/**
 * The payload of a tracked event: any JSON object (document §2).
 *
 * @example
 * ```ts
 * import type { EventProperties } from 'messaging-automation';
 *
 * const properties: EventProperties = { orderId: 'A-1001', lines: [{ sku: 'tea', count: 2 }] };
 * ```
 */
export type EventProperties = Readonly<Record<string, unknown>>;

/**
 * The contact of an event: named by `contactId` or by `phone`, never by both.
 *
 * @example
 * ```ts
 * import { type EventContact, MessagingAutomation } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * const recordVisit = (contact: EventContact) => messaging.events.track({ event: 'visited', ...contact });
 * await messaging.contacts.upsert({ phone: '+15551234567' });
 * await recordVisit({ phone: '+15551234567' });
 * ```
 */
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

/**
 * What `events.track` takes (document §2 and §4, POST /v1/events): an event of one contact, who is named by
 * `contactId` or by `phone`, never by both.
 *
 * @example
 * ```ts
 * import type { TrackInput } from 'messaging-automation';
 *
 * const byPhone: TrackInput = { event: 'order_placed', phone: '+15551234567', properties: { total: 42 } };
 * const byId: TrackInput = { event: 'order_placed', contactId: 'contact_1' };
 * ```
 */
export type TrackInput = {
  /** The event's name; stable snake_case names are recommended. */
  readonly event: string;
  /**
   * A payload for journeys and segments: any object that JSON can hold, at most 32 levels deep. A field that is
   * `undefined` is left out. Of a value with a `toJSON` method, such as a date, the result of that method is sent.
   */
  readonly properties?: EventProperties | (object & { readonly [Symbol.iterator]?: never }) | undefined;
} & EventContact;

/**
 * What `events.track` returns (document §4, POST /v1/events). The service processes the event after the answer.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, type TrackResult } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * await messaging.contacts.upsert({ phone: '+15551234567' });
 * const result: TrackResult = await messaging.events.track({ event: 'order_placed', phone: '+15551234567' });
 * console.log(result.accepted);
 * ```
 */
export interface TrackResult {
  /** True when the service accepted the event. */
  readonly accepted: boolean;
  /** Whatever else the service sends. */
  readonly [field: string]: unknown;
}

/** §2 Tracked event, the payload. */
export const eventPropertiesSchema: Schema<EventProperties> = mapOf(problemWithPayload);

/** §4 POST /v1/events, the body. */
export const trackSchema: Schema<TrackBody> = z
  .strictObject({
    event: nonEmptyString,
    contactId: z.optional(nonEmptyString),
    phone: z.optional(phoneSchema),
    properties: z.optional(eventPropertiesSchema),
  })
  .check(
    z.refine((body) => body.contactId !== undefined || body.phone !== undefined, {
      path: ['contactId'],
      error: 'is required if there is no phone: name the contact by contactId or by phone',
    }),
    z.refine((body) => body.contactId === undefined || body.phone === undefined, {
      path: ['contactId'],
      error: 'cannot be combined with phone: name the contact by contactId or by phone, not by both',
    }),
  );

/** §4 POST /v1/events, the answer. */
export const trackResultSchema: Schema<TrackResult> = z.looseObject({ accepted: booleanSchema });
