import { altered } from '../altered-store.js';
import type { BrokenStore } from './broken-store.js';

export const brokenSubscriptions: readonly BrokenStore[] = [
  [
    'hides the subscriptions that are managed',
    'subscriptions: are listed in the order in which they were created, those that are managed too',
    altered((kept) => ({
      subscriptions: {
        list: async () => (await kept.subscriptions.list()).filter(({ managed }) => !managed),
      },
    })),
  ],
  [
    'says of subscriptions that are gone that it has deleted them',
    'subscriptions: are deleted once',
    altered((kept) => ({
      root: {
        async deleteSubscription(subscriptionId) {
          await kept.deleteSubscription(subscriptionId);
          return true;
        },
      },
    })),
  ],
  [
    'leaves the deliveries of a deleted subscription waiting',
    'subscriptions: take what waits for them along, and leave the others alone',
    altered((kept) => ({
      root: {
        async deleteSubscription(subscriptionId) {
          const { deliveries } = await kept.readState();
          const deleted = await kept.deleteSubscription(subscriptionId);
          await kept.replaceState({ ...(await kept.readState()), deliveries });
          return deleted;
        },
      },
    })),
  ],
  [
    'cancels only what waited when it began to delete a subscription',
    'subscriptions: that are deleted while they are delivered to leave nothing that waits',
    altered((kept) => ({
      root: {
        async deleteSubscription(subscriptionId) {
          const before = new Set((await kept.outbox.list()).map(({ id }) => id));
          const deleted = await kept.deleteSubscription(subscriptionId);
          const state = await kept.readState();
          const deliveries = state.deliveries.map((delivery) =>
            before.has(delivery.id) ? delivery : { ...delivery, status: 'pending' as const },
          );
          await kept.replaceState({ ...state, deliveries });
          return deleted;
        },
      },
    })),
  ],
];
