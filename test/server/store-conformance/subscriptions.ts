import { expect } from 'vitest';
import type { SubscriptionRecord } from '../../../src/server/model/records.js';
import { atOnce, type Promises } from './opening.js';
import { outboxEvent, receive, statusesOf } from './receiving.js';

export const subscription: SubscriptionRecord = {
  id: 'hooks',
  managed: false,
  url: 'https://example.com/hooks',
  events: ['message.received'],
  secret: 'whsec_1',
  enabled: true,
  createdAt: 1,
};

export const subscriptionPromises: Promises = {
  'are listed in the order in which they were created, and deleted once': async ({ open }) => {
    const workspace = await open();
    const second = { ...subscription, id: 'another', managed: true };
    await workspace.subscriptions.create(subscription);
    await workspace.subscriptions.create(second);
    expect(await workspace.subscriptions.list()).toEqual([subscription, second]);
    const deletions = await atOnce(5, () => workspace.deleteSubscription(subscription.id));
    expect(deletions.filter(Boolean)).toHaveLength(1);
    expect(await workspace.subscriptions.list()).toEqual([second]);
    expect(await workspace.deleteSubscription('unheard_of')).toBe(false);
  },

  'take what waits for them along, and leave the others alone': async ({ open }) => {
    const workspace = await open();
    await workspace.subscriptions.create(subscription);
    await workspace.subscriptions.create({ ...subscription, id: 'also' });
    await receive(workspace, outboxEvent());
    await workspace.deleteSubscription(subscription.id);
    expect(await workspace.outbox.claimDue(subscription.id, 1e15, 10)).toEqual([]);
    expect(await statusesOf(workspace)).toEqual(['cancelled', 'pending']);
    expect(await workspace.outbox.claimDue('also', 0, 10)).toHaveLength(1);
    expect((await receive(workspace, outboxEvent())).subscriptionIds).toEqual(['also']);
  },

  'that are deleted while they are delivered to leave nothing that waits': async ({ open }) => {
    const workspace = await open();
    await workspace.subscriptions.create(subscription);
    await Promise.all([
      atOnce(10, () => receive(workspace, outboxEvent())),
      workspace.deleteSubscription(subscription.id),
      atOnce(10, () => receive(workspace, outboxEvent())),
    ]);
    expect(await workspace.outbox.claimDue(subscription.id, 1e15, 100)).toEqual([]);
    expect(new Set(await statusesOf(workspace))).not.toContain('pending');
  },
};
