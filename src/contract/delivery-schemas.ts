import * as z from 'zod/mini';
import {
  type DeliveryFieldKind,
  deliveryDataFields,
  deliveryFields,
  type KnownWebhookEvent,
} from './delivery.js';
import type { Schema } from './schema.js';
import { isTimestamp } from './timestamp.js';
import type { WebhookEventType } from './webhook-event-type.js';

/** The schema of each kind of field. The verifier has its own checks, and a test compares both. */
const kinds = {
  string: z.string(),
  'optional string': z.optional(z.string()),
  timestamp: z.stringFormat('date-time', isTimestamp, {
    error: 'must be an ISO 8601 timestamp',
  }),
  object: z.record(z.string(), z.unknown()),
};

/** The shape that a table of fields describes. */
function shapeOf<Fields extends Readonly<Record<string, DeliveryFieldKind>>>(fields: Fields) {
  const shape = Object.entries(fields).map(([name, kind]) => [name, kinds[kind]]);
  // The type of `Object.fromEntries` loses which name belongs to which value.
  return Object.fromEntries(shape) as { [Name in keyof Fields]: (typeof kinds)[Fields[Name]] };
}

const envelope = shapeOf(deliveryFields);

/** The phone of the sender of a message. */
export const senderPhoneSchema = z.string();

/** When a message was received. */
export const receivedAtSchema = z.string();

/** The body of each known delivery, by its event type. */
export const deliverySchemas: {
  readonly [Type in WebhookEventType]: Schema<KnownWebhookEvent & { event: Type }>;
} = {
  'message.received': deliverySchema('message.received', {
    ...shapeOf(deliveryDataFields['message.received']),
    phone: senderPhoneSchema,
    receivedAt: receivedAtSchema,
  }),
  'contact.opted_in': deliverySchema('contact.opted_in', shapeOf(deliveryDataFields['contact.opted_in'])),
  'contact.opted_out': deliverySchema('contact.opted_out', shapeOf(deliveryDataFields['contact.opted_out'])),
};

function deliverySchema<Type extends WebhookEventType, Data extends z.core.$ZodLooseShape>(
  event: Type,
  data: Data,
) {
  return z.looseObject({ ...envelope, event: z.literal(event), data: z.looseObject(data) });
}
