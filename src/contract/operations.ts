import * as z from 'zod/mini';
import {
  type Contact,
  type ContactProperties,
  contactSchema,
  type UpdateContactInput,
  type UpsertContactInput,
  updateContactSchema,
  upsertContactSchema,
} from './contact.js';
import { errorsOfBodies } from './error.js';
import { type TrackBody, type TrackResult, trackResultSchema, trackSchema } from './event.js';
import type { AnyOperation, Operation, OperationRequest } from './operation.js';
import { phoneSchema } from './phone.js';
import { nonEmptyString } from './schema.js';
import {
  type CreatedWebhookSubscription,
  type CreateWebhookInput,
  createdSubscriptionSchema,
  createSubscriptionSchema,
  subscriptionSchema,
  type WebhookSubscription,
} from './subscription.js';
import { type Template, templateSchema } from './template.js';
import { type SendInput, type SendResult, sendResultSchema, sendSchema } from './transactional.js';

const idInPath = z.object({ id: nonEmptyString });

const unknownContact = { code: 'not_found', condition: 'No contact has this id.', shown: 'nothing' } as const;

/**
 * The eleven endpoints of document §4, in its order. The client, the server, the OpenAPI document and the
 * contract tests all read this table; no path, status or shape is written anywhere else.
 */
export const operations = {
  contacts: {
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
      request: { query: z.object({ phone: phoneSchema }) },
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
  },
  transactional: {
    send: operation<{ body: SendInput }, SendResult, 'sent'>({
      name: 'transactional.send',
      method: 'POST',
      path: '/v1/transactional',
      request: { body: sendSchema },
      successes: { sent: 200 },
      result: {
        kind: 'record',
        schema: sendResultSchema,
        envelopes: ['data'],
        mayBeAbsent: false,
        impliedByStatus: { success: true },
      },
      notShown: [],
      errors: [
        {
          code: 'quota_exceeded',
          condition: "The plan's conversation quota and add-on credits are exhausted.",
          shown: 'status and code',
        },
        { code: 'not_found', condition: 'No contact has the given phone.', shown: 'status and code' },
        {
          code: 'send_failed',
          condition:
            'The provider rejected the send: template not approved, bad variables, or provider issue.',
          shown: 'status and code',
        },
        ...errorsOfBodies,
      ],
      repeatable: false, // a second send is a second message, and a second conversation off the quota
    }),
  },
  events: {
    track: operation<{ body: TrackBody }, TrackResult, 'accepted'>({
      name: 'events.track',
      method: 'POST',
      path: '/v1/events',
      request: { body: trackSchema },
      successes: { accepted: 202 },
      result: {
        kind: 'record',
        schema: trackResultSchema,
        envelopes: ['data'],
        mayBeAbsent: false,
        impliedByStatus: { accepted: true },
      },
      notShown: [],
      errors: [
        { code: 'not_found', condition: 'The contact does not exist.', shown: 'status' },
        ...errorsOfBodies,
      ],
      repeatable: false, // a second event may start a journey a second time
    }),
  },
  webhooks: {
    create: operation<{ body: CreateWebhookInput }, CreatedWebhookSubscription, 'created'>({
      name: 'webhooks.create',
      method: 'POST',
      path: '/v1/webhooks',
      request: { body: createSubscriptionSchema },
      successes: { created: 201 },
      result: {
        kind: 'record',
        schema: createdSubscriptionSchema,
        envelopes: ['webhook', 'data'],
        mayBeAbsent: false,
      },
      notShown: [],
      errors: errorsOfBodies,
      repeatable: false, // a second one delivers everything twice
    }),
    list: operation<Record<never, never>, readonly WebhookSubscription[], 'listed'>({
      name: 'webhooks.list',
      method: 'GET',
      path: '/v1/webhooks',
      request: {},
      successes: { listed: 200 },
      result: { kind: 'list', schema: z.array(subscriptionSchema), envelopes: ['data', 'webhooks'] },
      notShown: ['status', 'body'],
      errors: [],
      repeatable: true,
    }),
    delete: operation<{ path: { id: string } }, void, 'deleted'>({
      name: 'webhooks.delete',
      method: 'DELETE',
      path: '/v1/webhooks/:id',
      request: { path: idInPath },
      successes: { deleted: 204 },
      result: { kind: 'nothing' },
      notShown: [],
      errors: [{ code: 'not_found', condition: 'No subscription has this id.', shown: 'nothing' }],
      repeatable: true,
    }),
  },
  templates: {
    list: operation<Record<never, never>, readonly Template[], 'listed'>({
      name: 'templates.list',
      method: 'GET',
      path: '/v1/templates',
      request: {},
      successes: { listed: 200 },
      result: { kind: 'list', schema: z.array(templateSchema), envelopes: ['data', 'templates'] },
      notShown: ['status', 'body'],
      errors: [],
      repeatable: true,
    }),
  },
} as const;

/** Every operation, in the document's order. */
export const operationList: readonly AnyOperation[] = /* @__PURE__ */ Object.values(operations).flatMap(
  (resource) => Object.values<AnyOperation>(resource),
);

/** States an entry's types in words, and lets the compiler hold the entry to them. */
function operation<Request extends OperationRequest, Result, Outcome extends string>(
  entry: Operation<Request, Result, Outcome>,
): Operation<Request, Result, Outcome> {
  return entry;
}

type Operations = typeof operations;

/** The names of the operations in the table. Whoever lists something for each of them uses this type: none is missing. */
export type NameInTable = {
  [Resource in keyof Operations]: `${Resource}.${keyof Operations[Resource] & string}`;
}[keyof Operations];
