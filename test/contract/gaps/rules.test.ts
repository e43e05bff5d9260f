import { NotFoundError, RateLimitError } from 'messaging-automation';
import type { SpecGaps } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { bodyOf } from '../delivery-body.js';
import { undeliverablePhone } from '../environment.js';
import { expectRefusal, openServer, order, phone, receiver } from './gap-server.js';

/** Opens a server, and a way to send that returns the status. */
function openForSends(...given: Parameters<typeof openServer>) {
  const opened = openServer(...given);
  const send = async (change: object = {}) =>
    (await opened.ask('POST', '/v1/transactional', { ...order, ...change })).status;
  return { ...opened, send };
}

describe('what the reference server does, where the document shows nothing', () => {
  test('upsert merges the properties of an existing contact, or may replace them', async () => {
    const merging = openServer();
    await merging.create({ firstName: 'Ada', city: 'London' });
    const merged = await merging.ask('POST', '/v1/contacts', { phone, properties: { city: 'Paris' } });
    expect(merged.body).toMatchObject({ properties: { phone, firstName: 'Ada', city: 'Paris' } });

    const { ask, create } = openServer({ upsertOfExisting: 'replace' });
    await create({ firstName: 'Ada', city: 'London' });
    const id = await create({ city: 'Paris' });
    expect((await ask('GET', `/v1/contacts/${id}`)).body).toEqual({
      id,
      properties: { phone, city: 'Paris' },
    });
    // An update still merges.
    const { body } = await ask('PUT', `/v1/contacts/${id}`, { properties: { visits: 1 } });
    expect(body).toEqual({ id, properties: { phone, city: 'Paris', visits: 1 } });
  });

  test('an unknown template gives 422 send_failed, or may give 404 template_not_found', async () => {
    const unknown = { ...order, templateId: 'unheard_of' };
    const failing = openServer();
    await failing.create();
    expectRefusal(await failing.ask('POST', '/v1/transactional', unknown), 422, 'send_failed');

    const { ask, create, messaging } = openServer({ unknownTemplate: 'not_found' });
    await create();
    expectRefusal(await ask('POST', '/v1/transactional', unknown), 404, 'template_not_found');
    const refused = messaging.transactional.send(unknown);
    await expect(refused).rejects.toThrow(NotFoundError);
    await expect(refused).rejects.toMatchObject({ code: 'template_not_found' });
    expect((await ask('POST', '/v1/transactional', { phone, templateId: 'summer_sale' })).status).toBe(422);
  });

  test('the template may be checked before the quota', async () => {
    const { create, send } = openForSends({ sendChecks: 'template first' }, { quota: 0 });
    expect(await send({ templateId: 'summer_sale' })).toBe(404);
    await create();
    expect(await send({ templateId: 'summer_sale' })).toBe(422);
    expect(await send({ variables: {} })).toBe(422);
    expect(await send()).toBe(402);
  });

  test('a send that is rejected spends nothing, or may spend one if the provider rejects it', async () => {
    const { ask, create, send, server } = openForSends({}, { quota: 1, addOnCredits: 1 });
    await create();
    await ask('POST', '/v1/contacts', { phone: undeliverablePhone });
    for (const change of [
      { templateId: 'summer_sale' },
      { variables: {} },
      { phone: undeliverablePhone },
      { phone: '+442071838750' },
    ]) {
      expect(await send(change)).toBeGreaterThanOrEqual(404);
    }
    expect(await server.journal.quota()).toEqual({ quota: 1, addOnCredits: 1 });

    await server.specGaps.set({ rejectedSend: 'spends one' });
    expect(await send({ variables: {} })).toBe(422);
    expect(await server.journal.quota()).toMatchObject({ quota: 1 });
    expect(await send({ phone: undeliverablePhone })).toBe(422);
    expect(await server.journal.quota()).toEqual({ quota: 0, addOnCredits: 1 });
    expect(await server.journal.sends()).toEqual([]);
  });

  test('a send to a contact who opted out is allowed, or may be refused until there is consent again', async () => {
    const { send, server } = openForSends();
    await server.simulate.inboundMessage({ phone, body: 'STOP' });
    expect(await send()).toBe(200);
    const before = await server.journal.quota();
    await server.specGaps.set({ sendToOptedOut: 'refuse' });
    expect(await send()).toBe(422);
    expect(await server.journal.quota()).toEqual(before);
    await server.simulate.inboundMessage({ phone, body: 'START' });
    expect(await send()).toBe(200);
  });

  test('a stranger who writes becomes a contact', async () => {
    const { ask, server } = openServer();
    const { contactId } = await server.simulate.inboundMessage({ phone, body: 'Hello' });
    const { body } = await ask('GET', '/v1/contacts/find?phone=%2B15551234567');
    expect(body).toEqual({ id: contactId, properties: { phone } });
  });

  test.each<[string, Partial<SpecGaps>, readonly string[]]>([
    [
      'contactId, phone, keyword and occurredAt by default',
      {},
      ['contactId', 'phone', 'keyword', 'occurredAt'],
    ],
    ['contactId alone', { consentEventData: 'id' }, ['contactId']],
    ['nothing', { consentEventData: 'empty' }, []],
  ])('opted_in and opted_out may carry %s', async (_, specGaps, fields) => {
    const { ask, server, hooks } = openServer(specGaps);
    await ask('POST', '/v1/webhooks', { ...receiver, events: ['contact.opted_in', 'contact.opted_out'] });
    const { contactId } = await server.simulate.inboundMessage({ phone, body: 'stop' });
    await server.settled();
    await server.simulate.inboundMessage({ phone, body: ' Start ' });
    await server.settled();
    const timestamp = new Date(server.clock.now()).toISOString();
    const dataOf = (keyword: string) => {
      const data = { contactId, phone, keyword, occurredAt: timestamp };
      return Object.fromEntries(Object.entries(data).filter(([name]) => fields.includes(name)));
    };
    expect(hooks.deliveries.map(bodyOf)).toEqual([
      { event: 'contact.opted_out', workspaceId: server.id, timestamp, data: dataOf('STOP') },
      { event: 'contact.opted_in', workspaceId: server.id, timestamp, data: dataOf('START') },
    ]);
  });

  test('requests beyond a limit get 429 with Retry-After, until their time is over', async () => {
    const { ask, messaging, server } = openServer({ rateLimit: { requests: 2, per: '90s' } });
    const statusOf = async () => (await ask('GET', '/v1/templates')).status;
    // The limit counts no requests without a key, and none that a test makes of the server itself.
    await ask('GET', '/v1/templates', undefined, { Authorization: 'Bearer wrong' });
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    expect(await statusOf()).toBe(200);
    await server.clock.advance('59.5s');
    expect(await statusOf()).toBe(200);
    const limited = await ask('GET', '/v1/templates');
    expectRefusal(limited, 429, 'rate_limited');
    expect(JSON.stringify(limited.body)).toContain('"The limit is 2 requests in 90 s.');
    expect(limited.headers.get('retry-after')).toBe('31');
    await expect(messaging.contacts.upsert({ phone })).rejects.toThrow(RateLimitError);
    await expect(messaging.contacts.upsert({ phone })).rejects.toMatchObject({ retryAfter: 31_000 });
    await server.clock.advance('30.5s');
    expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([200, 200, 429]);
  });

  test("the limit is each workspace's own, and begins anew where one is put back", async () => {
    const { ask, server } = openServer({ rateLimit: { requests: 1, per: '1m' } });
    const other = server.workspace();
    const statusOf = async ({ apiKey }: { readonly apiKey: string } = server) =>
      (await ask('GET', '/v1/templates', undefined, { Authorization: `Bearer ${apiKey}` })).status;
    const before = await server.snapshot();
    await server.clock.advance('1h');
    expect([await statusOf(), await statusOf(), await statusOf(other)]).toEqual([200, 429, 200]);
    // The second time, no time lies between.
    for (let restored = 0; restored < 2; restored += 1) {
      await server.restore(before);
      expect([await statusOf(), await statusOf()]).toEqual([200, 429]);
    }
  });
});
