import { errorsOfBodies } from './error.js';
import { idInPath, operation } from './operation.js';
import { phoneSchema } from './phone.js';
import {
  custom,
  exactOptional,
  looseObject,
  mapOf,
  object,
  objectOf,
  optional,
  type Schema,
  strictObject,
  text,
} from './schema.js';

/**
 * The value of a contact property: a string, a number, a boolean, or an array of strings for a multi-select.
 */
export type PropertyValue = string | number | boolean | readonly string[];

/** A contact's properties by name. All names except `phone` are free. */
export type ContactProperties = Readonly<Record<string, PropertyValue>>;

/** Properties to set on a contact, by name. The client omits a property that is `undefined`. */
export type ContactPropertiesInput = Readonly<Record<string, PropertyValue | undefined>>;

/** A contact of the workspace. It keeps any further fields that the service sends. */
export interface Contact<Properties extends object = ContactProperties> {
  /** The id that the service assigned. */
  readonly id: string;
  /** The properties. A contact that an upsert returns includes `phone`, in E.164 format. */
  readonly properties: Properties & { readonly phone?: string };
  /** Any other field that the service sends. */
  readonly [field: string]: unknown;
}

/** The input of `contacts.upsert`. */
export interface UpsertContactInput<Properties extends object = ContactPropertiesInput> {
  /** The phone number in E.164 format, such as `+15551234567`. It identifies the contact. */
  readonly phone: string;
  /** Properties to set. The client omits those that are `undefined`. Default: none. */
  readonly properties?: Properties | undefined;
}

/** The input of `contacts.update`. */
export interface UpdateContactInput<Properties extends object = ContactPropertiesInput> {
  /** The properties to change. All others, and those that are `undefined`, stay as they are. */
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

/** The value of one contact property. */
export const propertyValueSchema: Schema<PropertyValue> = custom(isPropertyValue, wantedPropertyValue);

/** The properties of a contact. */
export const contactPropertiesSchema: Schema<ContactProperties> = mapOf((value) =>
  isPropertyValue(value) ? undefined : { path: [], message: wantedPropertyValue },
);

/** The phone among the properties of a response. */
export const shownPhoneSchema = text();

/** A contact. Loose, because the service does not say that it documents every field. */
export const contactSchema: Schema<Contact> = looseObject({
  id: text(),
  properties: objectOf({ phone: exactOptional(shownPhoneSchema) }, propertyValueSchema),
});

/** The request body of POST /v1/contacts. */
export const upsertContactSchema: Schema<UpsertContactInput<ContactProperties>> = strictObject({
  phone: phoneSchema,
  properties: optional(contactPropertiesSchema),
});

/** The request body of PUT /v1/contacts/:id. */
export const updateContactSchema: Schema<UpdateContactInput<ContactProperties>> = strictObject({
  properties: contactPropertiesSchema,
});

const unknownContact = { code: 'not_found', condition: 'No contact has this id.', shown: 'nothing' } as const;

/** The operations of /v1/contacts. */
export const contactOperations = {
  upsert: operation<{ body: UpsertContactInput<ContactProperties> }, Contact, 'created' | 'updated'>({
    name: 'contacts.upsert',
    method: 'POST',
    path: '/v1/contacts',
    request: { body: upsertContactSchema },
    successes: { created: 201, updated: 200 },
    result: { kind: 'record', schema: contactSchema, envelopes: ['contact', 'data'] },
    notShown: [],
    errors: errorsOfBodies,
    repeatable: true, // §4: "Idempotent upsert"
  }),
  find: operation<{ query: { phone: string } }, Contact, 'found'>({
    name: 'contacts.find',
    method: 'GET',
    path: '/v1/contacts/find',
    request: { query: object({ phone: phoneSchema }) },
    successes: { found: 200 },
    result: { kind: 'record', schema: contactSchema, envelopes: ['contact', 'data'] },
    notShown: ['status', 'body'],
    errors: [
      { code: 'not_found', condition: 'No contact matches the phone.', shown: 'status' },
      { code: 'invalid_request', condition: 'The phone is missing or not E.164.', shown: 'nothing' },
    ],
    repeatable: true,
  }),
  get: operation<{ path: { id: string } }, Contact, 'found'>({
    name: 'contacts.get',
    method: 'GET',
    path: '/v1/contacts/:id',
    request: { path: idInPath },
    successes: { found: 200 },
    result: { kind: 'record', schema: contactSchema, envelopes: ['contact', 'data'] },
    notShown: ['status', 'body'],
    errors: [unknownContact],
    repeatable: true,
  }),
  update: operation<
    { path: { id: string }; body: UpdateContactInput<ContactProperties> },
    Contact | undefined,
    'updated'
  >({
    name: 'contacts.update',
    method: 'PUT',
    path: '/v1/contacts/:id',
    request: { path: idInPath, body: updateContactSchema },
    successes: { updated: 200 },
    result: { kind: 'record', schema: contactSchema, envelopes: ['contact', 'data'], mayBeAbsent: true },
    notShown: ['status', 'body'],
    errors: [unknownContact, ...errorsOfBodies],
    repeatable: true, // sets the properties it names to the values it names
  }),
  delete: operation<{ path: { id: string } }, void, 'deleted'>({
    name: 'contacts.delete',
    method: 'DELETE',
    path: '/v1/contacts/:id',
    request: { path: idInPath },
    successes: { deleted: 204 },
    result: { kind: 'nothing' },
    notShown: [],
    errors: [unknownContact],
    repeatable: true,
  }),
};
