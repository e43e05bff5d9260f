import { describe, expect, test } from 'vitest';
import type { WebhookEventType } from '../../../src/contract/delivery.js';
import type { AttemptRecord, SubscriptionRecord } from '../../../src/server/store/records.js';
import type { OutboxEvent, WorkspaceStore } from '../../../src/server/store/store.js';
import type { OpenWorkspace } from './opening.js';

const subscription: SubscriptionRecord = {
  id: 'hooks',
  url: 'https://example.com/hooks',
  events: ['message.received'],
  secret: 'whsec_1',
  enabled: true,
  createdAt: 1,
};

const succeeded: AttemptRecord = { number: 1, startedAt: 1, signature: 'ab', status: 200, answer: 'ok' };
const failed: AttemptRecord = { number: 1, startedAt: 1, signature: 'ab', error: 'refused' };

let deliveries = 0;

function outboxEvent(createdAt = 0, type: WebhookEventType = 'message.received'): OutboxEvent {
  return {
    type,
    body: new Uint8Array([0, 255, createdAt]),
    createdAt,
    newDeliveryId: () => {
      deliveries += 1;
      return `delivery_${deliveries}`;
    },
  };
}

async function subscribed(open: OpenWorkspace): Promise<WorkspaceStore> {
  const workspace = await open();
  await workspace.createSubscription(subscription);
  return workspace;
}

async function claimOne(workspace: WorkspaceStore, now = 0): Promise<string> {
  const [claimed] = await workspace.claimDueDeliveries(subscription.id, now, 1);
  if (claimed === undefined) throw new Error('Nothing was due.');
  return claimed.delivery.id;
}

const statuses = async (workspace: WorkspaceStore) =>
  (await workspace.listDeliveries()).map(({ status }) => status);

export function deliveryPromises(open: OpenWorkspace): void {
  describe('subscriptions', () => {
    test('are listed in the order in which they were created, and deleted once', async () => {
      const workspace = await subscribed(open);
      const second = { ...subscription, id: 'another' };
      await workspace.createSubscription(second);
      expect(await workspace.listSubscriptions()).toEqual([subscription, second]);
      const deletions = await Promise.all(
        Array.from({ length: 5 }, () => workspace.deleteSubscription(subscription.id)),
      );
      expect(deletions.filter(Boolean)).toHaveLength(1);
      expect(await workspace.listSubscriptions()).toEqual([second]);
    });
  });

  describe('the outbox', () => {
    test('holds one delivery of an event for each enabled subscription that wants it', async () => {
      const workspace = await subscribed(open);
      await workspace.createSubscription({ ...subscription, id: 'also', secret: 'whsec_2' });
      await workspace.createSubscription({ ...subscription, id: 'disabled', enabled: false });
      await workspace.createSubscription({ ...subscription, id: 'others', events: ['contact.opted_in'] });
      const event = outboxEvent(7);
      expect(await workspace.enqueueDeliveries(event)).toEqual(['hooks', 'also']);
      const records = await workspace.listDeliveries();
      expect(new Set(records.map(({ id }) => id)).size).toBe(2);
      expect(records).toMatchObject(
        ['hooks', 'also'].map((subscriptionId) => ({
          subscriptionId,
          event: 'message.received',
          url: subscription.url,
          body: event.body,
          status: 'pending',
          attempts: [],
          createdAt: 7,
        })),
      );
      expect(await workspace.enqueueDeliveries(outboxEvent(0, 'contact.opted_out'))).toEqual([]);
    });

    test('gives what is due, oldest first, up to the limit, with the secret', async () => {
      const workspace = await subscribed(open);
      for (const createdAt of [1, 2, 3]) await workspace.enqueueDeliveries(outboxEvent(createdAt));
      expect(await workspace.claimDueDeliveries(subscription.id, 0, 10)).toEqual([]);
      expect(await workspace.claimDueDeliveries(subscription.id, 3, 0)).toEqual([]);
      const claimed = await workspace.claimDueDeliveries(subscription.id, 3, 2);
      expect(claimed).toMatchObject([
        { delivery: { createdAt: 1 }, secret: 'whsec_1' },
        { delivery: { createdAt: 2 }, secret: 'whsec_1' },
      ]);
      expect(await workspace.claimDueDeliveries('unheard_of', 3, 10)).toEqual([]);
    });

    test('gives a delivery to one claimer, however many claim at once', async () => {
      const workspace = await subscribed(open);
      for (let i = 0; i < 30; i += 1) await workspace.enqueueDeliveries(outboxEvent());
      const claims = await Promise.all(
        Array.from({ length: 20 }, () => workspace.claimDueDeliveries(subscription.id, 0, 4)),
      );
      const ids = claims.flat().map(({ delivery }) => delivery.id);
      expect(ids).toHaveLength(30);
      expect(new Set(ids).size).toBe(30);
    });

    test.each([
      ['delivered', succeeded],
      ['failed', failed],
    ] as const)('is done with a delivery that is %s', async (status, attempt) => {
      const workspace = await subscribed(open);
      await workspace.enqueueDeliveries(outboxEvent());
      await workspace.recordAttempt(await claimOne(workspace), attempt, { status });
      expect(await workspace.listDeliveries()).toMatchObject([{ status, attempts: [attempt] }]);
      expect(await workspace.claimDueDeliveries(subscription.id, 1e15, 10)).toEqual([]);
      expect(await workspace.deleteSubscription(subscription.id)).toBe(true);
      expect(await statuses(workspace)).toEqual([status]);
    });

    test('gives a delivery that is to be retried again when it is due, with its attempts so far', async () => {
      const workspace = await subscribed(open);
      await workspace.enqueueDeliveries(outboxEvent());
      await workspace.recordAttempt(await claimOne(workspace), failed, { status: 'pending', dueAt: 10 });
      expect(await workspace.claimDueDeliveries(subscription.id, 9, 1)).toEqual([]);
      expect(await workspace.claimDueDeliveries(subscription.id, 10, 1)).toMatchObject([
        { delivery: { status: 'pending', attempts: [failed] } },
      ]);
      expect(await workspace.claimDueDeliveries(subscription.id, 11, 1)).toEqual([]);
    });

    test('passes over what is not due yet', async () => {
      const workspace = await subscribed(open);
      await workspace.enqueueDeliveries(outboxEvent(1));
      await workspace.recordAttempt(await claimOne(workspace, 1), failed, { status: 'pending', dueAt: 100 });
      await workspace.enqueueDeliveries(outboxEvent(2));
      expect(await workspace.claimDueDeliveries(subscription.id, 2, 10)).toMatchObject([
        { delivery: { createdAt: 2 } },
      ]);
    });

    test('ignores an attempt at a delivery that it does not know', async () => {
      const workspace = await subscribed(open);
      await workspace.recordAttempt('unheard_of', succeeded, { status: 'delivered' });
      expect(await workspace.listDeliveries()).toEqual([]);
    });
  });

  describe('deleting a subscription', () => {
    test('cancels what waits, and leaves other subscriptions alone', async () => {
      const workspace = await subscribed(open);
      await workspace.createSubscription({ ...subscription, id: 'also' });
      await workspace.enqueueDeliveries(outboxEvent());
      await workspace.deleteSubscription(subscription.id);
      expect(await workspace.claimDueDeliveries(subscription.id, 1e15, 10)).toEqual([]);
      expect(await statuses(workspace)).toEqual(['cancelled', 'pending']);
      expect(await workspace.claimDueDeliveries('also', 0, 10)).toHaveLength(1);
      expect(await workspace.enqueueDeliveries(outboxEvent())).toEqual(['also']);
    });

    test.each([
      ['delivered', succeeded, { status: 'delivered' }],
      ['failed', failed, { status: 'failed' }],
      ['cancelled', failed, { status: 'pending', dueAt: 10 }],
    ] as const)('during an attempt lets it end: %s', async (status, attempt, after) => {
      const workspace = await subscribed(open);
      await workspace.enqueueDeliveries(outboxEvent());
      const id = await claimOne(workspace);
      await workspace.deleteSubscription(subscription.id);
      await workspace.recordAttempt(id, attempt, after);
      expect(await workspace.listDeliveries()).toMatchObject([{ status, attempts: [attempt] }]);
      expect(await workspace.claimDueDeliveries(subscription.id, 1e15, 10)).toEqual([]);
    });
  });

  describe('consent', () => {
    const phone = '+12025550100';

    test('changes together with the deliveries that say so, and once', async () => {
      const workspace = await open();
      await workspace.createSubscription({ ...subscription, events: ['contact.opted_out'] });
      await workspace.upsertContact({ newId: 'one', phone, properties: { a: 1 } });
      const changes = await Promise.all(
        Array.from({ length: 10 }, () =>
          workspace.changeConsent('one', 'opted_out', outboxEvent(0, 'contact.opted_out')),
        ),
      );
      expect(changes.filter((change) => change !== undefined)).toEqual([[subscription.id]]);
      expect(await statuses(workspace)).toEqual(['pending']);
      expect(await workspace.findContactById('one')).toMatchObject({
        consent: 'opted_out',
        properties: { a: 1 },
      });
      expect(await workspace.changeConsent('one', 'opted_in', outboxEvent(0, 'contact.opted_in'))).toEqual(
        [],
      );
      expect(await workspace.findContactByPhone(phone)).toMatchObject({ consent: 'opted_in' });
    });

    test('survives the changes of properties', async () => {
      const workspace = await open();
      await workspace.upsertContact({ newId: 'one', phone, properties: {} });
      await workspace.changeConsent('one', 'opted_out', outboxEvent(0, 'contact.opted_out'));
      await workspace.updateContact('one', { a: 1 });
      const { contact } = await workspace.upsertContact({ newId: 'two', phone, properties: { b: 1 } });
      expect(contact).toEqual({ id: 'one', phone, properties: { a: 1, b: 1 }, consent: 'opted_out' });
    });

    test('of nobody changes nothing', async () => {
      const workspace = await open();
      await workspace.createSubscription({ ...subscription, events: ['contact.opted_in'] });
      expect(
        await workspace.changeConsent('one', 'opted_in', outboxEvent(0, 'contact.opted_in')),
      ).toBeUndefined();
      expect(await workspace.listDeliveries()).toEqual([]);
    });
  });
}
