import type { CreatedWebhookSubscription } from '../../contract/subscription.js';
import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import { ConfigurationError } from '../../foundation/options.js';
import type { SubscriptionRecord } from '../model/records.js';
import { ServiceError } from '../model/service-error.js';
import { problemWithUrl } from '../service/address-policy.js';
import { type ManagedWebhookSeed, managedWebhookSchema } from '../service/subscriptions.js';
import { type LiveWorkspace, run } from '../workspace/live-workspace.js';
import { checked } from './calls.js';

/** A webhook subscription without its secret. */
export type WorkspaceSubscription = {
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEventType[];
  /** True for a managed subscription, which the API neither lists nor deletes. */
  readonly managed: boolean;
  readonly enabled: boolean;
  /** Milliseconds since the Unix epoch, by the workspace's clock. */
  readonly createdAt: number;
  /** The last four characters of the secret, so that you can tell secrets apart. */
  readonly secretEnding: string;
};

/**
 * Lists and removes all webhook subscriptions of a workspace: those of the API and the managed ones.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * await server.client.webhooks.create({ url: 'https://example.com/hooks', events: ['message.received'] });
 * const [subscription] = await server.subscriptions.list();
 * if (subscription !== undefined) {
 *   const secret = await server.subscriptions.secret(subscription.id);
 *   console.log(secret.endsWith(subscription.secretEnding)); // true
 *   console.log(await server.subscriptions.remove(subscription.id)); // true
 * }
 * ```
 */
export type WorkspaceSubscriptions = {
  /** Returns all subscriptions, oldest first, without their secrets. */
  list(): Promise<readonly WorkspaceSubscription[]>;
  /**
   * Returns the signing secret of a subscription.
   *
   * @throws Error if no subscription has the id.
   */
  secret(subscriptionId: string): Promise<string>;
  /** Removes a subscription and cancels its pending deliveries. False if no subscription has the id. */
  remove(subscriptionId: string): Promise<boolean>;
};

export function subscriptionsOf(live: LiveWorkspace): WorkspaceSubscriptions {
  const { store } = live.context;
  return {
    list: () => run(live, async () => (await store.subscriptions.list()).map(withoutSecret)),
    async secret(subscriptionId) {
      const subscriptions = await run(live, () => store.subscriptions.list());
      const found = subscriptions.find(({ id }) => id === subscriptionId);
      if (found !== undefined) return found.secret;
      throw new ServiceError(
        'not_found',
        `No subscription of this workspace has the id ${JSON.stringify(subscriptionId)}.`,
      );
    },
    remove: (subscriptionId) =>
      run(
        live,
        async () => (await live.listeners.remove(subscriptionId)) || store.deleteSubscription(subscriptionId),
      ),
  };
}

function withoutSecret({ secret, ...subscription }: SubscriptionRecord): WorkspaceSubscription {
  return { ...subscription, secretEnding: endingOf(secret) };
}

/** The last characters of a secret: enough to tell secrets apart without revealing them. */
export function endingOf(secret: string): string {
  return secret.slice(-4);
}

/**
 * Creates and lists managed subscriptions: those that the service itself creates for automation platforms. They receive
 * deliveries like any other subscription, but the API neither lists nor deletes them.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const platform = await server.managedWebhooks.create({
 *   url: 'https://platform.example.com/hooks',
 *   events: ['message.received'],
 * });
 * console.log(platform.secret.slice(0, 6)); // whsec_
 * console.log(await server.client.webhooks.list()); // []
 * ```
 */
export type ManagedWebhooks = {
  /**
   * Creates a managed subscription.
   *
   * @returns The subscription with its secret.
   * @throws ConfigurationError that names each invalid field, such as a URL that `receiverAddresses` does not allow.
   */
  create(webhook: ManagedWebhookSeed): Promise<CreatedWebhookSubscription>;
  /** Returns all managed subscriptions, including those of the seed, with their secrets. */
  list(): Promise<readonly CreatedWebhookSubscription[]>;
};

export function managedWebhooksOf(live: LiveWorkspace): ManagedWebhooks {
  const { subscriptions } = live.services;
  return {
    async create(webhook) {
      const seed = checked(managedWebhookSchema, 'The managed webhook', webhook);
      const problem = problemWithUrl(seed.url, live.context.receiverAddresses);
      if (problem !== undefined)
        throw new ConfigurationError(`The managed webhook is invalid: url ${problem}.`);
      return run(live, () => subscriptions.manage(seed));
    },
    list: () => run(live, () => subscriptions.listManaged()),
  };
}
