import {
  type Contact,
  type ContactProperties,
  contactSchema,
  type UpdateContactInput,
  type UpsertContactInput,
  updateContactSchema,
  upsertContactSchema,
} from '../contact.js';
import { errorsOfBodies } from '../error.js';
import { operation } from '../operation.js';
import { phoneSchema } from '../phone.js';
import { object } from '../schema.js';
import { idInPath } from './id-in-path.js';

const unknownContact = { code: 'not_found', condition: 'No contact has this id.', shown: 'nothing' } as const;

/** The operations of /v1/contacts. */
export const contactOperations = {
  upsert: operation<{ body: UpsertContactInput<ContactProperties> }, Contact, 'created' | 'updated'>({
    name: 'contacts.upsert',
    method: 'POST',
    path: '/v1/contacts',
    request: { body: upsertContactSchema },
    successes: { created: 201, updated: 200 },
    result: { kind: 'record', schema: contactSchema, envelopes: ['contact', 'data'], mayBeAbsent: false },
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
    result: { kind: 'record', schema: contactSchema, envelopes: ['contact', 'data'], mayBeAbsent: false },
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
    result: { kind: 'record', schema: contactSchema, envelopes: ['contact', 'data'], mayBeAbsent: false },
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

/** One sentence about each operation. */
export const contactSummaries: Readonly<Record<keyof typeof contactOperations, string>> = {
  upsert: 'Creates the contact with this phone, or updates it.',
  find: 'Finds the contact with this phone.',
  get: 'Returns the contact with this id.',
  update: 'Changes the properties that are sent. All others stay as they are.',
  delete: 'Deletes the contact with its properties, events and segment memberships, irreversibly.',
};

/** What the service's document states about these operations. */
export const contactStatements = {
  upsertCreates: '§4 POST /v1/contacts: 201 when created',
  upsertUpdates: '§4 POST /v1/contacts: 200 when an existing contact was updated',
  upsertAnswer: '§4 POST /v1/contacts: the body is id and properties, with phone and those supplied',
  upsertIdempotent: '§4 POST /v1/contacts: idempotent, by the phone',
  upsertChangesExisting: '§4 POST /v1/contacts: an existing contact is updated',
  upsertWithoutProperties: '§4 POST /v1/contacts: properties may be left out',
  findByPhone: '§4 GET /v1/contacts/find: finds by the phone, its + sent as %2B',
  findNobody: '§4 GET /v1/contacts/find: 404 when no contact matches',
  getContact: '§4 GET /v1/contacts/:id: returns the contact with the id',
  updateContact: '§4 PUT /v1/contacts/:id: only the properties sent change',
  deleteContact: '§4 DELETE /v1/contacts/:id: 204',
  deletionIsFinal: '§4 DELETE /v1/contacts/:id: the contact is gone for good',
} as const;
