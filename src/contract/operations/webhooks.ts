import { errorsOfBodies } from '../error.js';
import { operation } from '../operation.js';
import { list } from '../schema.js';
import {
  type CreatedWebhookSubscription,
  type CreateWebhookInput,
  createdSubscriptionSchema,
  createSubscriptionSchema,
  subscriptionSchema,
  type WebhookSubscription,
} from '../subscription.js';
import { idInPath } from './id-in-path.js';

/** The operations of /v1/webhooks. */
export const webhookOperations = {
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
    result: { kind: 'list', schema: list(subscriptionSchema), envelopes: ['data', 'webhooks'] },
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
};

/** One sentence about each operation. */
export const webhookSummaries: Readonly<Record<keyof typeof webhookOperations, string>> = {
  create: 'Creates a subscription. The answer has its secret.',
  list: 'Lists the subscriptions.',
  delete: 'Deletes the subscription with this id.',
};

/** What the service's document states about these operations. */
export const webhookStatements = {
  subscribe: '§4 POST /v1/webhooks: 201 with the subscription',
  subscribeSecret: '§4 POST /v1/webhooks: the secret is returned, with the prefix whsec_',
  listSubscriptions: '§4 GET /v1/webhooks: lists subscriptions',
  unsubscribe: '§4 DELETE /v1/webhooks/:id: 204, and it is gone',
} as const;
