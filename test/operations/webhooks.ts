import { randomBytes } from 'node:crypto';
import { type CasesOf, nothing, refuse } from './operation-case.js';

const events = ['message.received'] as const;
const subscription = {
  id: 'w1',
  url: 'https://receiver.example.test/hooks',
  events,
  secret: 'whsec_x',
  enabled: true,
  createdAt: 1,
};

/** §4, /v1/webhooks. */
export const webhookCases: CasesOf<'webhooks'> = {
  create: {
    endpoint: 'POST /v1/webhooks',
    statuses: [201],
    repeatable: false,
    call: ({ webhooks }, { receiverUrl: url }, options) => webhooks.create({ url, events }, options),
    sends: ({ receiverUrl: url }) => ({ path: '/v1/webhooks', body: { url, events } }),
    response: subscription,
    async byHand({ state, request }) {
      const given: { url: string; events: string[] } = await request.json();
      const created = {
        id: state.newId('subscription'),
        url: given.url,
        events: given.events,
        secret: `whsec_${randomBytes(24).toString('base64url')}`,
        enabled: true,
        createdAt: Date.now(),
      };
      state.subscriptions.set(created.id, created);
      return Response.json(created, { status: 201 });
    },
  },
  list: {
    endpoint: 'GET /v1/webhooks',
    statuses: [200],
    repeatable: true,
    call: ({ webhooks }, _, options) => webhooks.list(options),
    sends: () => ({ path: '/v1/webhooks' }),
    response: [subscription],
    byHand: ({ state }) => Response.json([...state.subscriptions.values()]),
  },
  delete: {
    endpoint: 'DELETE /v1/webhooks/:id',
    statuses: [204],
    repeatable: true,
    call: ({ webhooks }, { subscriptionId }, options) => webhooks.delete(subscriptionId, options),
    sends: ({ subscriptionId }) => ({ path: `/v1/webhooks/${subscriptionId}` }),
    response: undefined,
    byHand: ({ state, id }) => (state.subscriptions.delete(id) ? nothing() : refuse(404)),
  },
};
