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

  contractCase(statements.subscribeSecret, async ({ messaging, environment }) => {
    const events = ['message.received'] as const;
    const first = await messaging.webhooks.create({ url: environment.receiver.url, events });
    const second = await messaging.webhooks.create({ url: `${environment.receiver.url}/2`, events });
    expect(first.secret).toMatch(/^whsec_.+/);
    expect(second.secret).not.toBe(first.secret);
  }),

  contractCase(statements.listSubscriptions, async ({ messaging, environment }) => {
    expect(await messaging.webhooks.list()).toEqual([]);
    const { url } = environment.receiver;
    const { secret: _, ...created } = await messaging.webhooks.create({ url, events: ['contact.opted_in'] });
    const list = await messaging.webhooks.list();
    expect(list).toHaveLength(1);
    expect(list[0]).toMatchObject(created);
  }),

  contractCase(statements.unsubscribe, async ({ call, messaging, environment }) => {
    const events = ['message.received'] as const;
    const kept = await messaging.webhooks.create({ url: environment.receiver.url, events });
    const { id } = await messaging.webhooks.create({ url: environment.receiver.url, events });
    const response = await call('DELETE', `/v1/webhooks/${id}`);
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    expect((await messaging.webhooks.list()).map((subscription) => subscription.id)).toEqual([kept.id]);
    await messaging.webhooks.delete(kept.id);
    expect(await messaging.webhooks.list()).toEqual([]);
  }),
];
