import * as z from 'zod/mini';
import { mapOf } from './map-schema.js';
import { phoneSchema } from './phone.js';
import type { Schema } from './schema.js';

/**
 * The value of one contact property (document §2): a string, a number, a boolean, or an array of strings for
 * a multi-select.
 *
 * @example
 * ```ts
 * import type { PropertyValue } from 'messaging-automation';
 *
 * const interests: PropertyValue = ['running', 'chess'];
 * ```
 */
export type PropertyValue = string | number | boolean | readonly string[];

/**
 * A contact's properties by name (document §2). Names other than `phone` are free.
 *
 * @example
 * ```ts
 * import type { ContactProperties } from 'messaging-automation';
 *
 * const properties: ContactProperties = { firstName: 'Ada', visits: 3, subscribed: true };
 * ```
 */
export type ContactProperties = Readonly<Record<string, PropertyValue>>;

/**
 * Properties to set on a contact, by name. A property that is `undefined` is left out of the request.
 *
 * @example
 * ```ts
 * import type { ContactPropertiesInput } from 'messaging-automation';
 *
 * const propertiesOf = (profile: { name: string; city?: string }): ContactPropertiesInput => ({
 *   firstName: profile.name,
 *   city: profile.city,
 * });
 * ```
 */
export type ContactPropertiesInput = Readonly<Record<string, PropertyValue | undefined>>;

/**
 * A contact of the workspace (document §2).
 *
 * Fields that the document does not show are kept as they arrive.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, type Contact } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * const contact: Contact = await messaging.contacts.upsert({ phone: '+15551234567' });
 * console.log(contact.id, contact.properties.phone);
 * ```
 */
export interface Contact<Properties extends object = ContactProperties> {
  /** The identifier the service assigned. */
  readonly id: string;
  /** The properties; `phone`, in E.164 format, is among them on a contact that an upsert returns. */
  readonly properties: Properties & { readonly phone?: string };
  /** Whatever else the service sends. */
  readonly [field: string]: unknown;
}

/**
 * What `contacts.upsert` takes (document §4, POST /v1/contacts).
 *
 * @example
 * ```ts
 * import type { UpsertContactInput } from 'messaging-automation';
 *
 * const input: UpsertContactInput = { phone: '+15551234567', properties: { firstName: 'Ada' } };
 * ```
 */
export interface UpsertContactInput<Properties extends object = ContactPropertiesInput> {
  /** The contact's phone number in E.164 format; it identifies the contact. */
  readonly phone: string;
  /** Properties to set; those that are `undefined` are left out. */
  readonly properties?: Properties | undefined;
}

/**
 * What `contacts.update` takes (document §4, PUT /v1/contacts/:id).
 *
 * @example
 * ```ts
 * import type { UpdateContactInput } from 'messaging-automation';
 *
 * const input: UpdateContactInput = { properties: { city: 'London' } };
 * ```
 */
export interface UpdateContactInput<Properties extends object = ContactPropertiesInput> {
  /** The properties to change; all others, and those that are `undefined`, stay as they are. */
  readonly properties: Properties;
}

const wantedPropertyValue = 'must be a string, a finite number, a boolean or an array of strings';

function isPropertyValue(value: unknown): value is PropertyValue {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    Number.isFinite(value) ||
    (Array.isArray(value) && value.every((item) => typeof item === 'string'))
  );
}

/** §2 Contact, the value of one property. */
export const propertyValueSchema: Schema<PropertyValue> = z.custom<PropertyValue>(
  isPropertyValue,
  wantedPropertyValue,
);

/** §2 Contact, the properties. */
export const contactPropertiesSchema: Schema<ContactProperties> = mapOf((value) =>
  isPropertyValue(value) ? undefined : { path: [], message: wantedPropertyValue },
);

/** §2 Contact, the phone among the properties of an answer. */
export const shownPhoneSchema = z.string();

/** §2 Contact. Loose, because the document does not say that it shows every field. */
export const contactSchema: Schema<Contact> = z.looseObject({
  id: z.string(),
  properties: z.catchall(z.object({ phone: z.exactOptional(shownPhoneSchema) }), propertyValueSchema),
});

/** §4 POST /v1/contacts, the body. */
export const upsertContactSchema: Schema<UpsertContactInput<ContactProperties>> = z.strictObject({
  phone: phoneSchema,
  properties: z.optional(contactPropertiesSchema),
});

/** §4 PUT /v1/contacts/:id, the body. */
export const updateContactSchema: Schema<UpdateContactInput<ContactProperties>> = z.strictObject({
  properties: contactPropertiesSchema,
});
