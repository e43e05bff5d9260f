import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import { secretPrefix } from '../../contract/secret-prefix.js';
import { receiverUrlSchema } from '../../contract/subscription.js';
import { type WebhookEventType, webhookEventTypes } from '../../contract/webhook-event-type.js';

/**
 * A managed subscription: one that the service itself creates for an automation platform. It receives deliveries, but the API
 * neither lists nor deletes it.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type ManagedWebhookSeed } from 'messaging-automation/server';
 *
 * const platform: ManagedWebhookSeed = {
 *   url: 'https://platform.example.com/hooks',
 *   events: ['message.received'],
 *   secret: 'whsec_of_the_platform',
 * };
 * await using server = createReferenceServer({ managedWebhooks: [platform] });
 * ```
 */
export interface ManagedWebhookSeed {
  /** The URL of the receiver. The server's `receiverAddresses` must allow it. */
  readonly url: string;
  /** The event types, at least one. */
  readonly events: readonly WebhookEventType[];
  /** The signing secret. It begins with `whsec_`. Default: a generated secret. */
  readonly secret?: string | undefined;
}

/** The schema of a signing secret. */
export const secretSchema = z
  .string()
  .check(
    z.regex(
      new RegExp(`^${secretPrefix}[\\x21-\\x7e]+$`),
      `must begin with ${secretPrefix} and go on in printable ASCII without spaces`,
    ),
  );

/** The schema of a managed subscription, from a seed, a program or over HTTP. */
export const managedWebhookSchema: Schema<ManagedWebhookSeed> = z.strictObject({
  url: receiverUrlSchema,
  events: z.array(z.enum(webhookEventTypes)).check(z.minLength(1)),
  secret: z.optional(secretSchema),
});
