import { NotFoundError, RateLimitError } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { phone, receiver, refusal, variantServer } from '../defaults/default-server.js';
import { bodyOf } from '../delivery-body.js';
import { undeliverablePhone } from '../environment.js';

const order = { phone, templateId: 'order_update', variables: { '1': 'Ada', '2': 'A-1001' } };

describe('what the reference server does, where a switch is set', () => {
  test('upsert may replace the properties of an existing contact, while an update still merges', async () => {
    const { call, created } = variantServer({ upsertOfExisting: 'replace' });
    await created({ firstName: 'Ada', city: 'London' });
    const id = await created({ city: 'Paris' });
    expect((await call('GET', `/v1/contacts/${id}`)).answer).toEqual({
      id,
      properties: { phone, city: 'Paris' },
    });
    const { answer } = await call('PUT', `/v1/contacts/${id}`, { properties: { visits: 1 } });
    expect(answer).toEqual({ id, properties: { phone, city: 'Paris', visits: 1 } });
  });

  test('a send to a contact who opted out may be refused, until there is consent again', async () => {
    const { call, server } = variantServer({ sendToOptedOut: 'refuse' });
    await server.simulate.inboundMessage({ phone, body: 'STOP' });
    const refused = await call('POST', '/v1/transactional', order);
    expect(refused).toMatchObject({ status: 422, answer: refusal('send_failed') });
    expect(await server.journal.quota()).toMatchObject({ quota: 3 });
    await server.simulate.inboundMessage({ phone, body: 'START' });
    expect((await call('POST', '/v1/transactional', order)).status).toBe(200);
  });

  test('an unknown template may give 404 template_not_found', async () => {
    const { call, created, messaging } = variantServer({ unknownTemplate: 'not_found' });
    await created();
    const unknown = { ...order, templateId: 'unheard_of' };
    expect(await call('POST', '/v1/transactional', unknown)).toMatchObject({
      status: 404,
      answer: refusal('template_not_found'),
    });
    const refused = messaging.transactional.send(unknown);
    await expect(refused).rejects.toThrow(NotFoundError);
    await expect(refused).rejects.toMatchObject({ code: 'template_not_found' });
    expect((await call('POST', '/v1/transactional', { phone, templateId: 'summer_sale' })).status).toBe(422);
  });

  test('the template may be checked before the quota', async () => {
    const { call, created } = variantServer({ sendChecks: 'template first' }, { quota: 0 });
    const statusOf = async (message: object) => (await call('POST', '/v1/transactional', message)).status;
    expect(await statusOf({ ...order, templateId: 'summer_sale' })).toBe(404);
    await created();
    expect(await statusOf({ ...order, templateId: 'summer_sale' })).toBe(422);
    expect(await statusOf({ ...order, variables: {} })).toBe(422);
    expect(await statusOf(order)).toBe(402);
  });

  test('a send that the provider rejects may spend one, and one that is refused before spends nothing', async () => {
    const { call, created, server } = variantServer({ rejectedSend: 'spends one' });
    await created();
    await call('POST', '/v1/contacts', { phone: undeliverablePhone });
    expect((await call('POST', '/v1/transactional', { ...order, variables: {} })).status).toBe(422);
    expect(await server.journal.quota()).toMatchObject({ quota: 3 });
    expect((await call('POST', '/v1/transactional', { ...order, phone: undeliverablePhone })).status).toBe(
      422,
    );
    expect(await server.journal.quota()).toMatchObject({ quota: 2 });
    expect(await server.journal.sends()).toEqual([]);
  });

  test.each(['id', 'empty'] as const)(
    'opted_in and opted_out may carry little: %s',
    async (consentEventData) => {
      const { call, server, hooks } = variantServer({ consentEventData });
      await call('POST', '/v1/webhooks', { ...receiver, events: ['contact.opted_in', 'contact.opted_out'] });
      const { contactId } = await server.simulate.inboundMessage({ phone, body: 'STOP' });
      await server.settled();
      await server.simulate.inboundMessage({ phone, body: 'START' });
      await server.settled();
      const data = consentEventData === 'id' ? { contactId } : {};
      expect(hooks.deliveries.map(bodyOf)).toMatchObject([
        { event: 'contact.opted_out', workspaceId: server.id, timestamp: expect.any(String) },
        { event: 'contact.opted_in' },
      ]);
      for (const delivery of hooks.deliveries) expect(bodyOf(delivery).data).toEqual(data);
    },
  );

  test('requests beyond a limit get 429 with Retry-After, until their time is over', async () => {
    const { call, messaging, server } = variantServer({ rateLimit: { requests: 2, per: '90s' } });
    const statusOf = async () => (await call('GET', '/v1/templates')).status;
    // Nobody's requests take nothing from it, and neither do those that a test makes of the server itself.
    await call('GET', '/v1/templates', undefined, { Authorization: 'Bearer wrong' });
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    expect(await statusOf()).toBe(200);
    await server.clock.advance('59.5s');
    expect(await statusOf()).toBe(200);
    const limited = await call('GET', '/v1/templates');
    expect(limited).toMatchObject({ status: 429, answer: refusal('rate_limited') });
    expect(limited.answer).toMatchObject({
      error: { message: expect.stringMatching(/^The limit is 2 requests in 90 s\./) },
    });
    expect(limited.headers.get('retry-after')).toBe('31');
    await expect(messaging.contacts.upsert({ phone })).rejects.toThrow(RateLimitError);
    await expect(messaging.contacts.upsert({ phone })).rejects.toMatchObject({ retryAfter: 31_000 });
    await server.clock.advance('30.5s');
    expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([200, 200, 429]);
  });

  test("the limit is each workspace's own, and begins anew where one is put back", async () => {
    const { call, server } = variantServer({ rateLimit: { requests: 1, per: '1m' } });
    const other = server.workspace();
    const theirs = { Authorization: `Bearer ${other.apiKey}` };
    const before = await server.snapshot();
    await server.clock.advance('1h');
    expect((await call('GET', '/v1/templates')).status).toBe(200);
    expect((await call('GET', '/v1/templates')).status).toBe(429);
    expect((await call('GET', '/v1/templates', undefined, theirs)).status).toBe(200);
    // The second time, no time lies between.
    for (let restored = 0; restored < 2; restored += 1) {
      await server.restore(before);
      expect((await call('GET', '/v1/templates')).status).toBe(200);
      expect((await call('GET', '/v1/templates')).status).toBe(429);
    }
  });
});
