import type { CreatedWebhookSubscription } from '../../contract/subscription.js';
import { problemWithUrl } from '../service/address-policy.js';
import { type ManagedWebhookSeed, managedWebhookSchema } from '../service/managed-webhook-seed.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { checked } from './checked.js';

/**
 * The subscriptions of a workspace that the service manages itself, as it does for automation platforms (document §1).
 * They are delivered to like any other, but the API neither lists nor deletes them.
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
export interface ManagedWebhooks {
  /**
   * Makes one.
   *
   * @returns The subscription with its secret.
   * @throws TypeError that names what is wrong, such as a URL that may not be delivered to.
   */
  create(webhook: ManagedWebhookSeed): Promise<CreatedWebhookSubscription>;
  /** All of them, those of the seed too, with their secrets. */
  list(): Promise<readonly CreatedWebhookSubscription[]>;
}

export function managedWebhooksOf({ opened, services, context }: LiveWorkspace): ManagedWebhooks {
  return {
    async create(webhook) {
      const seed = checked(managedWebhookSchema, 'The managed webhook', webhook);
      const problem = problemWithUrl(seed.url, context.receiverAddresses);
      if (problem !== undefined) throw new TypeError(`The managed webhook is not right: url ${problem}.`);
      await opened();
      return services.subscriptions.manage(seed);
    },
    async list() {
      await opened();
      return services.subscriptions.listManaged();
    },
  };
}
