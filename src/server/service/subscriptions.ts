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
      `must begin with ${secretPrefix} and continue with printable ASCII without spaces`,
    ),
  );

/** The schema of a managed subscription, from a seed, a program or over HTTP. */
export const managedWebhookSchema: Schema<ManagedWebhookSeed> = z.strictObject({
  url: receiverUrlSchema,
  events: z.array(z.enum(webhookEventTypes)).check(z.minLength(1)),
  secret: z.optional(secretSchema),
});

/** The rules of /v1/webhooks. */
export class SubscriptionRules {
  readonly #context: WorkspaceContext;

  constructor(context: WorkspaceContext) {
    this.#context = context;
  }

  async create(input: CreateWebhookInput): Promise<CreatedWebhookSubscription> {
    return this.#subscribe(input, false);
  }

  /** Creates a managed subscription, which the API neither lists nor deletes. */
  async manage(input: ManagedWebhookSeed): Promise<CreatedWebhookSubscription> {
    return this.#subscribe(input, true);
  }

  /** Creates a managed subscription whose deliveries go to a listener. The server never connects to its URL. */
  async listen({ url, ...others }: ManagedWebhookSeed): Promise<CreatedWebhookSubscription> {
    return this.#keep({ ...others, url: listenerUrl(url) }, true);
  }

  /** Throws 400 if the URL cannot receive deliveries. */
  async #subscribe(input: ManagedWebhookSeed, managed: boolean) {
    const problem = problemWithUrl(input.url, this.#context.receiverAddresses);
    if (problem !== undefined) throw invalidRequest([{ field: 'url', message: problem }]);
    return this.#keep(input, managed);
  }

  async #keep({ url, events, secret }: ManagedWebhookSeed, managed: boolean) {
    const { environment, store } = this.#context;
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

  async list(): Promise<readonly WebhookSubscription[]> {
    const { gaps, store } = this.#context;
    const subscriptions = (await store.subscriptions.list()).filter(({ managed }) => !managed);
    return subscriptions
      .map(shown)
      .map(({ secret, ...others }) => (gaps().secretInList === 'shown' ? { ...others, secret } : others));
  }

  /** Returns the managed subscriptions. */
  async listManaged(): Promise<readonly CreatedWebhookSubscription[]> {
    return (await this.#context.store.subscriptions.list()).filter(({ managed }) => managed).map(shown);
  }

  async delete(id: string): Promise<void> {
    const { store } = this.#context;
    const subscription = (await store.subscriptions.list()).find((each) => each.id === id);
    if (subscription?.managed === false && (await store.deleteSubscription(id))) return;
    throw new UnknownIdError('No subscription of this workspace has this id. GET /v1/webhooks lists them.');
  }
}

/** Returns a subscription as the API shows it. */
function shown({ managed: _, ...subscription }: SubscriptionRecord): CreatedWebhookSubscription {
  return subscription;
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
