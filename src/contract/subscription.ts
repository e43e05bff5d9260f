import * as z from 'zod/mini';
import { booleanSchema, fitting, nonEmptyString, type Schema } from './schema.js';
import { secretPrefix } from './secret-prefix.js';
import { type WebhookEventType, webhookEventTypes } from './webhook-event-type.js';

/**
 * What `webhooks.create` takes (document §4, POST /v1/webhooks).
 *
 * @example
 * ```ts
 * import type { CreateWebhookInput } from 'messaging-automation';
 *
 * const input: CreateWebhookInput = { url: 'https://example.com/hooks', events: ['message.received'] };
 * ```
 */
export interface CreateWebhookInput {
  /** The HTTPS endpoint that receives the deliveries. */
  readonly url: string;
  /** The event types to subscribe to, at least one. */
  readonly events: readonly WebhookEventType[];
}

/**
 * A webhook subscription as `webhooks.list` returns it (document §2). The document does not show the list, so a
 * secret may be there or not; the reference server leaves it out.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, type WebhookSubscription } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * const subscriptions: readonly WebhookSubscription[] = await messaging.webhooks.list();
 * console.log(subscriptions.map((subscription) => subscription.url));
 * ```
 */
export interface WebhookSubscription {
  /** The subscription's id. */
  readonly id: string;
  /** The HTTPS endpoint that receives the deliveries. */
  readonly url: string;
  /** The subscribed event types; a newer service may name types that this package does not know. */
  readonly events: readonly (WebhookEventType | (string & {}))[];
  /** The signing secret, where the service shows it. */
  readonly secret?: string;
  /** Whether the subscription is active. */
  readonly enabled: boolean;
  /** When it was created, in milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** Whatever else the service sends. */
  readonly [field: string]: unknown;
}

/**
 * A webhook subscription as `webhooks.create` returns it (document §4), with its secret. Store the secret: you need
 * it to verify deliveries, and other answers may not have it.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, type CreatedWebhookSubscription } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * const subscription: CreatedWebhookSubscription = await messaging.webhooks.create({
 *   url: 'https://example.com/hooks',
 *   events: ['message.received'],
 * });
 * process.env['WEBHOOK_SECRET'] = subscription.secret;
 * ```
 */
export interface CreatedWebhookSubscription extends WebhookSubscription {
  /** The signing secret, with its prefix `whsec_`; the whole string is the key. */
  readonly secret: string;
}

/** §2 Webhook subscription, the time of its creation. */
export const integerSchema: Schema<number> = z.custom<number>(Number.isInteger, 'must be an integer');

/** §2 Webhook subscription, its signing secret. */
export const secretSchema: Schema<string> = fitting(
  z.string(),
  (text) => text.startsWith(secretPrefix),
  `must begin with ${secretPrefix}`,
);

/** §6, one of the event types. */
export const eventTypeSchema: Schema<WebhookEventType> = z.custom<WebhookEventType>(
  (value) => webhookEventTypes.some((type) => type === value),
  `must be ${webhookEventTypes.map((type) => JSON.stringify(type)).join(' or ')}`,
);

/** §4 POST /v1/webhooks, the event types of a subscription. */
export const eventTypesSchema = fitting(
  z.array(eventTypeSchema),
  (types) => types.length > 0,
  'must not be empty',
);

/** §2 Webhook subscription, its URL in an answer. */
export const shownUrlSchema = z.string();

const shownFields = {
  id: z.string(),
  url: shownUrlSchema,
  events: z.array(z.string()),
  enabled: booleanSchema,
  createdAt: integerSchema,
};

/** §2 Webhook subscription, without a promise of its secret. */
export const subscriptionSchema: Schema<WebhookSubscription> = z.looseObject({
  ...shownFields,
  secret: z.exactOptional(z.string()),
});

/** §4 POST /v1/webhooks, the answer. */
export const createdSubscriptionSchema: Schema<CreatedWebhookSubscription> = z.looseObject({
  ...shownFields,
  secret: secretSchema,
});

/** §4 POST /v1/webhooks, the URL of the receiver. The server judges its form and its host. */
export const receiverUrlSchema: Schema<string> = nonEmptyString.check();

/** §4 POST /v1/webhooks, the body. Which fields are required is not shown; here both are. */
export const createSubscriptionSchema: Schema<CreateWebhookInput> = z.strictObject({
  url: receiverUrlSchema,
  events: eventTypesSchema,
});
