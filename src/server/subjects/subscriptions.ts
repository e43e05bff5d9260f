import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import type { SubscriptionRecord } from '../model/records.js';
import { ServiceError } from '../model/service-error.js';
import { type LiveWorkspace, run } from '../workspace/live-workspace.js';
import { subscriptionRecordSchema } from '../workspace/state-schema.js';
import { change } from './change.js';
import { operation } from './operation.js';
import type * as Shapes from './shapes.js';

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
      change(
        live,
        {
          operation: 'subscriptions.remove',
          given: [subscriptionId],
          before: () => subscriptionNow(live, subscriptionId),
        },
        async () => (await live.listeners.remove(subscriptionId)) || store.deleteSubscription(subscriptionId),
      ),
  };
}

/** Returns a subscription without its secret. Undefined if there is none. */
export async function subscriptionNow(
  live: LiveWorkspace,
  id: string,
): Promise<WorkspaceSubscription | undefined> {
  const subscription = (await live.context.store.subscriptions.list()).find((each) => each.id === id);
  return subscription && withoutSecret(subscription);
}

function withoutSecret({ secret, ...subscription }: SubscriptionRecord): WorkspaceSubscription {
  return { ...subscription, secretEnding: endingOf(secret) };
}

/** The last characters of a secret: enough to tell secrets apart without revealing them. */
export function endingOf(secret: string): string {
  return secret.slice(-4);
}

export const subscriptionsOperations = ({ text, listOf }: typeof Shapes) => {
  const subscriptionSchema: Schema<WorkspaceSubscription> = z.strictObject({
    ...z.omit(subscriptionRecordSchema, { secret: true }).shape,
    secretEnding: text,
  });
  return {
    list: operation('subscriptions.list', 'GET', '/control/subscriptions', {
      summary:
        'Lists all webhook subscriptions, including managed ones, each with the last four characters of its secret.',
      result: listOf(subscriptionSchema),
      rule: async (live) => ({ data: await subscriptionsOf(live).list() }),
    }),
    secret: operation('subscriptions.secret', 'GET', '/control/subscriptions/:id/secret', {
      summary: 'Returns the signing secret of a subscription.',
      result: z.strictObject({ secret: text }),
      refusals: { 404: 'No subscription has this id.' },
      rule: async (live, { path }) => ({ secret: await subscriptionsOf(live).secret(path.id) }),
    }),
    remove: operation('subscriptions.remove', 'DELETE', '/control/subscriptions/:id', {
      summary: 'Removes a subscription, even a managed one, and cancels its pending deliveries.',
      refusals: { 404: 'No subscription has this id.' },
      rule: (live, { path }) => subscriptionsOf(live).remove(path.id),
    }),
  };
};
