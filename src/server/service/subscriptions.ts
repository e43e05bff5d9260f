import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import { secretPrefix } from '../../contract/secret-prefix.js';
import {
  type CreatedWebhookSubscription,
  type CreateWebhookInput,
  receiverUrlSchema,
  type WebhookSubscription,
} from '../../contract/subscription.js';
import { type WebhookEventType, webhookEventTypes } from '../../contract/webhook-event-type.js';
import { listenerUrl } from '../model/listener.js';
import type { SubscriptionRecord } from '../model/records.js';
import { invalidRequest, UnknownIdError } from '../model/service-error.js';
import { problemWithUrl } from './address-policy.js';
import type { WorkspaceContext } from './context.js';

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

/** The rules of /v1/webhooks. */
export function createSubscriptions({ environment, gaps, receiverAddresses, store }: WorkspaceContext) {
  async function create(input: CreateWebhookInput): Promise<CreatedWebhookSubscription> {
    return subscribe(input, false);
  }

  /** Creates a managed subscription, which the API neither lists nor deletes. */
  async function manage(input: ManagedWebhookSeed): Promise<CreatedWebhookSubscription> {
    return subscribe(input, true);
  }

  /** Creates a managed subscription whose deliveries go to a listener. The server never connects to its URL. */
  async function listen({ url, ...others }: ManagedWebhookSeed): Promise<CreatedWebhookSubscription> {
    return keep({ ...others, url: listenerUrl(url) }, true);
  }

  /** Throws 400 if the URL cannot receive deliveries. */
  async function subscribe(input: ManagedWebhookSeed, managed: boolean) {
    const problem = problemWithUrl(input.url, receiverAddresses);
    if (problem !== undefined) throw invalidRequest([{ field: 'url', message: problem }]);
    return keep(input, managed);
  }

  async function keep({ url, events, secret }: ManagedWebhookSeed, managed: boolean) {
    const subscription: SubscriptionRecord = {
      id: environment.newId('webhook'),
      managed,
      url,
      events: [...new Set(events)],
      secret: secret ?? secretPrefix + toHex(environment.randomBytes(32)),
      enabled: true,
      createdAt: environment.clock.now(),
    };
    await store.subscriptions.create(subscription);
    return shown(subscription);
  }

  async function list(): Promise<readonly WebhookSubscription[]> {
    const subscriptions = (await store.subscriptions.list()).filter(({ managed }) => !managed);
    return subscriptions
      .map(shown)
      .map(({ secret, ...others }) => (gaps().secretInList === 'shown' ? { ...others, secret } : others));
  }

  /** Returns the managed subscriptions. */
  async function listManaged(): Promise<readonly CreatedWebhookSubscription[]> {
    return (await store.subscriptions.list()).filter(({ managed }) => managed).map(shown);
  }

  async function remove(id: string): Promise<void> {
    const subscription = (await store.subscriptions.list()).find((each) => each.id === id);
    if (subscription?.managed === false && (await store.deleteSubscription(id))) return;
    throw new UnknownIdError('No subscription of this workspace has this id. GET /v1/webhooks lists them.');
  }

  return { create, manage, listen, list, listManaged, delete: remove };
}

/** Returns a subscription as the API shows it. */
function shown({ managed: _, ...subscription }: SubscriptionRecord): CreatedWebhookSubscription {
  return subscription;
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
