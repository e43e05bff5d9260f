import { errorsOfBodies } from './error.js';
import { idInPath, operation } from './operation.js';
import {
  booleanSchema,
  checking,
  custom,
  exactOptional,
  fitting,
  list,
  looseObject,
  nonEmptyString,
  type Schema,
  strictObject,
  text,
} from './schema.js';
import { secretPrefix } from './secret-prefix.js';
import { type WebhookEventType, webhookEventTypes } from './webhook-event-type.js';

/** The input of `webhooks.create`. */
export interface CreateWebhookInput {
  /** The HTTPS endpoint that receives the deliveries. */
  readonly url: string;
  /** The event types to subscribe to, at least one. */
  readonly events: readonly WebhookEventType[];
}

/**
 * A webhook subscription as `webhooks.list` returns it. The service does not document whether a list contains secrets.
 * The reference server omits them.
 */
export interface WebhookSubscription {
  /** The subscription's id. */
  readonly id: string;
  /** The HTTPS endpoint that receives the deliveries. */
  readonly url: string;
  /** The subscribed event types. A newer service may return types that this package does not know. */
  readonly events: readonly (WebhookEventType | (string & {}))[];
  /** The signing secret, if the service returns it. */
  readonly secret?: string;
  /** Whether the subscription is active. */
  readonly enabled: boolean;
  /** When it was created, in milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** Any other field that the service sends. */
  readonly [field: string]: unknown;
}

/**
 * A webhook subscription as `webhooks.create` returns it, with its secret. Store the secret: you need it to verify
 * deliveries, and other responses may not contain it.
 */
export interface CreatedWebhookSubscription extends WebhookSubscription {
  /** The signing secret, with its prefix `whsec_`; the whole string is the key. */
  readonly secret: string;
}

/** An integer, such as the creation time of a subscription. */
export const integerSchema: Schema<number> = custom(Number.isInteger, 'must be an integer');

/** The signing secret of a subscription. */
export const secretSchema: Schema<string> = fitting(
  text(),
  (given) => given.startsWith(secretPrefix),
  `must begin with ${secretPrefix}`,
);

/** One of the event types. */
export const eventTypeSchema: Schema<WebhookEventType> = custom(
  (value) => webhookEventTypes.some((type) => type === value),
  `must be ${webhookEventTypes.map((type) => JSON.stringify(type)).join(' or ')}`,
);

/** The event types of a new subscription. */
export const eventTypesSchema = fitting(
  list(eventTypeSchema),
  (types) => types.length > 0,
  'must not be empty',
);

/** The URL of a subscription in a response. */
export const shownUrlSchema = text();

const shownFields = {
  id: text(),
  url: shownUrlSchema,
  events: list(text()),
  enabled: booleanSchema,
  createdAt: integerSchema,
};

/** A subscription that may lack its secret. */
export const subscriptionSchema: Schema<WebhookSubscription> = looseObject({
  ...shownFields,
  secret: exactOptional(text()),
});

/** The response body of POST /v1/webhooks. */
export const createdSubscriptionSchema: Schema<CreatedWebhookSubscription> = looseObject({
  ...shownFields,
  secret: secretSchema,
});

/** The URL in the request body of POST /v1/webhooks. The server checks its form and its host. */
export const receiverUrlSchema: Schema<string> = checking(nonEmptyString);

/**
 * The request body of POST /v1/webhooks. The service does not document which fields are required; this package requires
 * both.
 */
export const createSubscriptionSchema: Schema<CreateWebhookInput> = strictObject({
  url: receiverUrlSchema,
  events: eventTypesSchema,
});

/** The operations of /v1/webhooks. */
export const webhookOperations = {
  create: operation<{ body: CreateWebhookInput }, CreatedWebhookSubscription, 'created'>({
    name: 'webhooks.create',
    method: 'POST',
    path: '/v1/webhooks',
    request: { body: createSubscriptionSchema },
    successes: { created: 201 },
    result: { kind: 'record', schema: createdSubscriptionSchema, envelopes: ['webhook', 'data'] },
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
