import type { CreatedWebhookSubscription } from '../../contract/subscription.js';
import { ConfigurationError } from '../../foundation/options.js';
import { problemWithUrl } from '../service/address-policy.js';
import { type ManagedWebhookSeed, managedWebhookSchema } from '../service/subscriptions.js';
import { type LiveWorkspace, run } from '../workspace/live-workspace.js';
import { checked } from './calls.js';
import { change } from './change.js';
import { operation } from './operation.js';
import type * as Shapes from './shapes.js';

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
      return manage(live, seed);
    },
    list: () => run(live, () => subscriptions.listManaged()),
  };
}

function manage(live: LiveWorkspace, seed: ManagedWebhookSeed): Promise<CreatedWebhookSubscription> {
  return change(live, { operation: 'managedWebhooks.create', given: [seed], idOf: ({ id }) => id }, () =>
    live.services.subscriptions.manage(seed),
  );
}

export const managedWebhooksOperations = ({
  listOf,
  managedWebhookResponseSchema: result,
}: typeof Shapes) => ({
  list: operation('managedWebhooks.list', 'GET', '/control/managed-webhooks', {
    summary: 'Lists the subscriptions that the service itself manages, with their secrets.',
    result: listOf(result),
    rule: async (live) => ({ data: await managedWebhooksOf(live).list() }),
  }),
  create: operation('managedWebhooks.create', 'POST', '/control/managed-webhooks', {
    summary: 'Creates a managed subscription.',
    body: managedWebhookSchema,
    status: 201,
    result,
    rule: (live, { body }) => manage(live, body),
  }),
});
