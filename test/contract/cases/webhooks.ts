import { expect } from 'vitest';
import { statements } from '../../../src/contract/statements.js';
import { contractCase } from '../contract-case.js';

/** §4, the endpoints under /v1/webhooks. */
export const webhookCases = [
  contractCase(statements.subscribe, async ({ call, environment }) => {
    const body = { url: environment.receiver.url, events: ['message.received'] };
    const response = await call('POST', '/v1/webhooks', body);
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject(body);
  }),

  contractCase(statements.subscribeSecret, async ({ subscribe }) => {
    const [first, second] = [await subscribe(), await subscribe(['message.received'], '/2')];
    expect(first.secret).toMatch(/^whsec_.+/);
    expect(second.secret).not.toBe(first.secret);
  }),

  contractCase(statements.listSubscriptions, async ({ messaging, subscribe }) => {
    expect(await messaging.webhooks.list()).toEqual([]);
    const { secret: _, ...created } = await subscribe(['contact.opted_in']);
    const list = await messaging.webhooks.list();
    expect(list).toHaveLength(1);
    expect(list[0]).toMatchObject(created);
  }),

  contractCase(statements.unsubscribe, async ({ call, messaging, subscribe }) => {
    const [kept, { id }] = [await subscribe(), await subscribe()];
    const response = await call('DELETE', `/v1/webhooks/${id}`);
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    expect((await messaging.webhooks.list()).map((subscription) => subscription.id)).toEqual([kept.id]);
    await messaging.webhooks.delete(kept.id);
    expect(await messaging.webhooks.list()).toEqual([]);
  }),
];
