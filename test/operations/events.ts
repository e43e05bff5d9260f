import { type CasesOf, refuse } from './operation-case.js';

const properties = { orderId: 'A-1001' };

/** §4, /v1/events. */
export const eventCases: CasesOf<'events'> = {
  track: {
    endpoint: 'POST /v1/events',
    statuses: [202],
    repeatable: false,
    call: ({ events }, { phone }, options) =>
      events.track({ event: 'order_placed', phone, properties }, options),
    sends: ({ phone }) => ({ path: '/v1/events', body: { event: 'order_placed', phone, properties } }),
    response: { accepted: true },
    async byHand({ state, request }) {
      const { contactId, phone }: { contactId?: string; phone?: string } = await request.json();
      const contact = contactId === undefined ? state.contactWithPhone(phone) : state.contacts.get(contactId);
      return contact ? Response.json({ accepted: true }, { status: 202 }) : refuse(404);
    },
  },
};
