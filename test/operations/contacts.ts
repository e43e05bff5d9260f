import type { Value } from '../contract/environments/hand-written-state.js';
import { type CasesOf, nothing, refuse } from './operation-case.js';

const properties = { city: 'London' };
const contact = { id: 'c1', properties: { phone: '+15551234567', ...properties } };

/** §4, /v1/contacts. */
export const contactCases: CasesOf<'contacts'> = {
  upsert: {
    endpoint: 'POST /v1/contacts',
    statuses: [201, 200],
    repeatable: true,
    call: ({ contacts }, { phone }, options) => contacts.upsert({ phone, properties }, options),
    sends: ({ phone }) => ({ path: '/v1/contacts', body: { phone, properties } }),
    response: contact,
    async byHand({ state, request }) {
      const { phone, properties: given }: { phone: string; properties?: Record<string, Value> } =
        await request.json();
      const existing = state.contactWithPhone(phone);
      if (existing) {
        Object.assign(existing.properties, given);
        return Response.json(existing, { status: 200 });
      }
      const created = { id: state.newId('contact'), properties: { ...given, phone } };
      state.contacts.set(created.id, created);
      return Response.json(created, { status: 201 });
    },
  },
  find: {
    endpoint: 'GET /v1/contacts/find',
    statuses: [200],
    repeatable: true,
    call: ({ contacts }, { phone }, options) => contacts.find(phone, options),
    sends: ({ phone }) => ({ path: `/v1/contacts/find?phone=${phone.replace('+', '%2B')}` }),
    response: contact,
    byHand({ state, request }) {
      const found = state.contactWithPhone(new URL(request.url).searchParams.get('phone'));
      return found ? Response.json({ contact: found }) : refuse(404);
    },
  },
  get: {
    endpoint: 'GET /v1/contacts/:id',
    statuses: [200],
    repeatable: true,
    call: ({ contacts }, { contactId }, options) => contacts.get(contactId, options),
    sends: ({ contactId }) => ({ path: `/v1/contacts/${contactId}` }),
    response: contact,
    byHand({ state, id }) {
      const found = state.contacts.get(id);
      return found ? Response.json({ data: found }) : refuse(404);
    },
  },
  update: {
    endpoint: 'PUT /v1/contacts/:id',
    statuses: [200],
    repeatable: true,
    call: ({ contacts }, { contactId }, options) => contacts.update(contactId, { properties }, options),
    sends: ({ contactId }) => ({ path: `/v1/contacts/${contactId}`, body: { properties } }),
    response: contact,
    async byHand({ state, request, id }) {
      const found = state.contacts.get(id);
      if (!found) return refuse(404);
      const changes: { properties: Record<string, Value> } = await request.json();
      Object.assign(found.properties, changes.properties);
      return nothing();
    },
  },
  delete: {
    endpoint: 'DELETE /v1/contacts/:id',
    statuses: [204],
    repeatable: true,
    call: ({ contacts }, { contactId }, options) => contacts.delete(contactId, options),
    sends: ({ contactId }) => ({ path: `/v1/contacts/${contactId}` }),
    response: undefined,
    byHand: ({ state, id }) => (state.contacts.delete(id) ? nothing() : refuse(404)),
  },
};
