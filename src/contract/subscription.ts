import * as z from 'zod/mini';
import type { Schema } from './schema.js';
import { type WebhookEventType, webhookEventTypes } from './webhook-event-type.js';

/** What every signing secret begins with (document §2). The prefix is part of the key. */
export const secretPrefix = 'whsec_';

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
 * A webhook subscription as `webhooks.list` gives it (document §2). The document does not show the list, so a
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
 * A webhook subscription as `webhooks.create` gives it (document §4): the one time the secret is shown. Store it;
 * deliveries cannot be verified without it.
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

const shownFields = {
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  enabled: z.boolean(),
  // Lighter than z.int(), which brings the limits of every other number format with it.
  createdAt: z.number().check(z.multipleOf(1, 'must be an integer')),
};

/** §2 Webhook subscription, without a promise of its secret. */
export const subscriptionSchema: Schema<WebhookSubscription> = z.looseObject({
  ...shownFields,
  secret: z.exactOptional(z.string()),
});

/** §4 POST /v1/webhooks, the answer. */
export const createdSubscriptionSchema: Schema<CreatedWebhookSubscription> = z.looseObject({
  ...shownFields,
  secret: z.string().check(z.startsWith(secretPrefix)),
});

/** §4 POST /v1/webhooks, the body. Which fields are required is not shown; here both are. */
export const createSubscriptionSchema: Schema<CreateWebhookInput> = z.strictObject({
  url: z.string().check(z.minLength(1)),
  events: z.array(z.enum(webhookEventTypes)).check(z.minLength(1)),
});
