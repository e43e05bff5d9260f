import { describe, expect, test } from 'vitest';
import { bodyOf } from '../delivery-body.js';
import { undeliverablePhone } from '../environment.js';
import { defaultServer, phone, receiver, refusal } from './default-server.js';

const order = { templateId: 'order_update', variables: { '1': 'Ada', '2': 'A-1001' } };

describe('what the reference server does, where the document shows nothing', () => {
  test('upsert merges the properties of an existing contact', async () => {
    const { call, created } = defaultServer();
    await created({ firstName: 'Ada', city: 'London' });
    const { answer } = await call('POST', '/v1/contacts', { phone, properties: { city: 'Paris' } });
    expect(answer).toMatchObject({ properties: { phone, firstName: 'Ada', city: 'Paris' } });
  });

  test('an unknown template gives 422 send_failed', async () => {
    const { call, created } = defaultServer();
    await created();
    const { status, answer } = await call('POST', '/v1/transactional', { phone, templateId: 'unheard_of' });
    expect(status).toBe(422);
    expect(answer).toEqual(refusal('send_failed'));
  });

  test('a variable that the template has no placeholder for gives 422 send_failed', async () => {
    const { call, created } = defaultServer();
    await created();
    const variables = { '1': 'Ada', '2': 'A-1001', '3': '?' };
    const { status } = await call('POST', '/v1/transactional', {
      phone,
      templateId: 'order_update',
      variables,
    });
    expect(status).toBe(422);
  });

  test('a send is checked for its contact, then the quota, then the template, then by the provider', async () => {
    const { call } = defaultServer({ quota: 1 });
    const statusOf = async (message: object) => (await call('POST', '/v1/transactional', message)).status;
    const refusedForAll = { phone: undeliverablePhone, templateId: 'summer_sale' };
    expect(await statusOf(refusedForAll)).toBe(404);
    await call('POST', '/v1/contacts', { phone: undeliverablePhone });
    expect(await statusOf(refusedForAll)).toBe(422);
    await call('POST', '/v1/contacts', { phone });
    expect(await statusOf({ phone, ...order })).toBe(200);
    expect(await statusOf(refusedForAll)).toBe(402);
    expect(await statusOf({ ...refusedForAll, phone: '+442071838750' })).toBe(404);
  });

  test('a send that is rejected spends nothing, whoever rejects it', async () => {
    const { call, created, server } = defaultServer({ quota: 1, addOnCredits: 1 });
    await created();
    await call('POST', '/v1/contacts', { phone: undeliverablePhone });
    for (const message of [
      { phone, templateId: 'summer_sale' },
      { phone, templateId: 'order_update', variables: {} },
      { phone: undeliverablePhone, ...order },
      { phone: '+442071838750', ...order },
    ]) {
      expect((await call('POST', '/v1/transactional', message)).status).toBeGreaterThanOrEqual(404);
    }
    expect(await server.journal.quota()).toEqual({ quota: 1, addOnCredits: 1 });
  });

  test('sending to a contact who opted out is allowed', async () => {
    const { call, server } = defaultServer();
    await server.simulate.inboundMessage({ phone, body: 'STOP' });
    expect((await call('POST', '/v1/transactional', { phone, ...order })).status).toBe(200);
  });

  test('a stranger who writes becomes a contact', async () => {
    const { call, server } = defaultServer();
    const { contactId } = await server.simulate.inboundMessage({ phone, body: 'Hello' });
    const { answer } = await call('GET', '/v1/contacts/find?phone=%2B15551234567');
    expect(answer).toEqual({ id: contactId, properties: { phone } });
  });

  test('opted_in and opted_out carry { contactId, phone, keyword, occurredAt }', async () => {
    const { call, server, hooks } = defaultServer();
    await call('POST', '/v1/webhooks', { ...receiver, events: ['contact.opted_in', 'contact.opted_out'] });
    const { contactId } = await server.simulate.inboundMessage({ phone, body: 'stop' });
    await server.settled();
    await server.simulate.inboundMessage({ phone, body: ' Start ' });
    await server.settled();
    const occurredAt = new Date(server.clock.now()).toISOString();
    expect(hooks.deliveries.map((delivery) => bodyOf(delivery).data)).toEqual([
      { contactId, phone, keyword: 'STOP', occurredAt },
      { contactId, phone, keyword: 'START', occurredAt },
    ]);
  });

  test('a keyword that changes nothing emits no consent event', async () => {
    const { call, server, hooks } = defaultServer();
    await call('POST', '/v1/webhooks', { ...receiver, events: ['contact.opted_out'] });
    await server.simulate.inboundMessage({ phone, body: 'STOP' });
    await server.simulate.inboundMessage({ phone, body: 'STOP' });
    await server.settled();
    expect(hooks.deliveries).toHaveLength(1);
  });

  test('a failed delivery is retried after 10 s, and again after 60 s', async () => {
    const { call, server, hooks } = defaultServer();
    hooks.answerWith(500, 500, 500);
    await call('POST', '/v1/webhooks', receiver);
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    await server.settled();
    const counts: number[] = [];
    for (const wait of ['9.999s', '1ms', '59.999s', '1ms', '1d'] as const) {
      await server.clock.advance(wait);
      counts.push(hooks.deliveries.length);
    }
    expect(counts).toEqual([1, 2, 2, 3, 3]);
  });
});
