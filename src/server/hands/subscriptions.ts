import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import type { SubscriptionRecord } from '../model/records.js';
import { ServiceError } from '../model/service-error.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';

/** A webhook subscription without its secret. */
export interface WorkspaceSubscription {
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
}

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
export interface WorkspaceSubscriptions {
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
}

/** How many characters of a secret a listing shows. */
const charactersShown = 4;

export function subscriptionsOf({
  life,
  listeners,
  context: { store },
}: LiveWorkspace): WorkspaceSubscriptions {
  const all = async () => {
    await life.opened();
    return store.subscriptions.list();
  };
  return {
    list: async () => (await all()).map(withoutSecret),
    async secret(subscriptionId) {
      const found = (await all()).find(({ id }) => id === subscriptionId);
      if (found !== undefined) return found.secret;
      throw new ServiceError(
        'not_found',
        `No subscription of this workspace has the id ${JSON.stringify(subscriptionId)}.`,
      );
    },
    async remove(subscriptionId) {
      await life.opened();
      return (await listeners.remove(subscriptionId)) || store.deleteSubscription(subscriptionId);
    },
  };
}

function withoutSecret({ secret, ...subscription }: SubscriptionRecord): WorkspaceSubscription {
  return { ...subscription, secretEnding: secret.slice(-charactersShown) };
}
