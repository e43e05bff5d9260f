import * as z from 'zod/mini';
import type { ContactProperties, PropertyValue, UpdateContactInput, UpsertContactInput } from './contact.js';
import { phoneSchema } from './phone.js';
import { nonEmptyString, type Schema } from './schema.js';
import { type CreateWebhookInput, eventTypesSchema, receiverUrlSchema } from './subscription.js';
import type { SendInput } from './transactional.js';
import { webhookEventTypes } from './webhook-event-type.js';

/*
 * What a service accepts beyond what the client sends by `operations.ts`: because the document has a rule judge it, or,
 * where the document is silent, because the reference server is set up so. It stands apart from the strict schemas so
 * that the client does not carry it.
 */

/**
 * Any JSON value. Typed as a property's value all the same: whoever reads properties looks at what a value is, and the
 * rest hands them on.
 */
const anyProperties: Schema<ContactProperties> = z.record(z.string(), z.custom<PropertyValue>());

/** §4 POST /v1/contacts, the body with properties of any JSON value. */
export const upsertWithAnyValuesSchema: Schema<UpsertContactInput<ContactProperties>> = z.strictObject({
  phone: phoneSchema,
  properties: z.optional(anyProperties),
});

/** §4 PUT /v1/contacts/:id, the body with properties of any JSON value. */
export const updateWithAnyValuesSchema: Schema<UpdateContactInput<ContactProperties>> = z.strictObject({
  properties: anyProperties,
});

/**
 * §4 POST /v1/transactional, the body with variables under any name. §7 has bad variables answered 422 send_failed, so a
 * service does not refuse the request for them; only the client does, before it is made.
 */
export const sendWithAnyVariablesSchema: Schema<SendInput> = z.strictObject({
  phone: phoneSchema,
  templateId: nonEmptyString,
  variables: z.optional(z.record(z.string(), z.string())),
});

/** §4 GET /v1/contacts/find, the query with a space for a `+` that was not encoded. */
export const findWithSpaceSchema: Schema<{ phone: string }> = z.object({
  phone: z.pipe(
    z.pipe(
      z.string(),
      z.transform((text) => text.replace(/^ /, '+')),
    ),
    phoneSchema,
  ),
});

/** §4 POST /v1/webhooks, the body in which no events stand for all of them. */
export const subscribeToAllSchema: Schema<CreateWebhookInput> = z.strictObject({
  url: receiverUrlSchema,
  events: z._default(eventTypesSchema, () => [...webhookEventTypes]),
});
