import * as z from 'zod/mini';
import type { ContactProperties, PropertyValue, UpdateContactInput, UpsertContactInput } from './contact.js';
import { phoneSchema } from './phone.js';
import { nonEmptyString, type Schema } from './schema.js';
import { type CreateWebhookInput, eventTypesSchema, receiverUrlSchema } from './subscription.js';
import type { SendInput } from './transactional.js';
import { webhookEventTypes } from './webhook-event-type.js';

/*
 * Schemas for what a service accepts although the client does not send it. The service documents one of them; `specGaps`
 * selects the others. They have a file of their own, so that the client does not contain them.
 */

/**
 * Any JSON value. Its type is that of a property's value, because code that reads a property checks the value first.
 */
const anyProperties: Schema<ContactProperties> = z.record(z.string(), z.custom<PropertyValue>());

/** The request body of POST /v1/contacts, with properties of any JSON value. */
export const upsertWithAnyValuesSchema: Schema<UpsertContactInput<ContactProperties>> = z.strictObject({
  phone: phoneSchema,
  properties: z.optional(anyProperties),
});

/** The request body of PUT /v1/contacts/:id, with properties of any JSON value. */
export const updateWithAnyValuesSchema: Schema<UpdateContactInput<ContactProperties>> = z.strictObject({
  properties: anyProperties,
});

/**
 * The request body of POST /v1/transactional, with variables of any name. A service rejects bad variables with 422
 * send_failed, so they are no 400. The client refuses them before it sends the request.
 */
export const sendWithAnyVariablesSchema: Schema<SendInput> = z.strictObject({
  phone: phoneSchema,
  templateId: nonEmptyString,
  variables: z.optional(z.record(z.string(), z.string())),
});

/** The query of GET /v1/contacts/find, with a space for a `+` that was not encoded. */
export const findWithSpaceSchema: Schema<{ phone: string }> = z.object({
  phone: z.pipe(
    z.pipe(
      z.string(),
      z.transform((text) => text.replace(/^ /, '+')),
    ),
    phoneSchema,
  ),
});

/** The request body of POST /v1/webhooks. Without `events`, the subscription is for all event types. */
export const subscribeToAllSchema: Schema<CreateWebhookInput> = z.strictObject({
  url: receiverUrlSchema,
  events: z._default(eventTypesSchema, () => [...webhookEventTypes]),
});
