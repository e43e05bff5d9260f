import { describe, expect, test } from 'vitest';
import { askWith, field, phone, refusal, startServer } from '../support/reference.js';

describe('the API key', () => {
  test.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'key',
    'Basic key',
    'Bearer wrong',
    'Bearer key key',
    'Bearerkey',
    'Token key',
    'Bearer KEY',
    'Bearer key, Bearer key',
    'Bearer __proto__',
  ])('is refused with 401 as %j', async (Authorization) => {
    const ask = askWith(startServer({ apiKey: 'key' }));
    const { status, body, headers } = await ask('GET', '/v1/templates', undefined, { Authorization });
    expect([status, body]).toEqual([401, refusal('unauthorized')]);
    expect(headers.get('www-authenticate')).toBe('Bearer');
    expect(JSON.stringify(body)).not.toContain('wrong');
  });

  test.each(['Bearer key', 'bearer key', 'BEARER   key'])('is taken as %j', async (Authorization) => {
    const ask = askWith(startServer({ apiKey: 'key' }));
    expect((await ask('GET', '/v1/templates', undefined, { Authorization })).status).toBe(200);
  });

  test('is looked at before the body', async () => {
    const ask = askWith(startServer());
    const { status } = await ask('POST', '/v1/contacts', 'not JSON', { Authorization: 'Bearer wrong' });
    expect(status).toBe(401);
  });

  test('is asked for by the control surface too', async () => {
    const server = startServer();
    const response = await server.fetch(
      new Request('http://localhost/control/inbound-messages', { method: 'POST', body: '{}' }),
    );
    expect(response.status).toBe(401);
  });
});

describe('the key of another workspace', () => {
  test('sees and touches nothing', async () => {
    const server = startServer({ templates: [{ id: 'welcome', body: 'Welcome!' }] });
    const mine = askWith(server);
    const other = server.workspace();
    const theirs = askWith(server, other);
    const { body: contact } = await mine('POST', '/v1/contacts', { phone, properties: { city: 'London' } });
    const id = String(field(contact, 'id'));
    const { body: subscription } = await mine('POST', '/v1/webhooks', {
      url: 'https://example.com/hooks',
      events: ['message.received'],
    });

    expect((await theirs('GET', '/v1/contacts/find?phone=%2B15551234567')).status).toBe(404);
    expect((await theirs('GET', `/v1/contacts/${id}`)).status).toBe(404);
    expect((await theirs('PUT', `/v1/contacts/${id}`, { properties: { city: 'Paris' } })).status).toBe(404);
    expect((await theirs('DELETE', `/v1/contacts/${id}`)).status).toBe(404);
    expect((await theirs('POST', '/v1/events', { event: 'seen', contactId: id })).status).toBe(404);
    expect((await theirs('POST', '/v1/transactional', { phone, templateId: 'welcome' })).status).toBe(404);
    expect((await theirs('DELETE', `/v1/webhooks/${field(subscription, 'id')}`)).status).toBe(404);
    expect((await theirs('GET', '/v1/webhooks')).body).toEqual({ data: [] });
    expect((await theirs('GET', '/v1/templates')).body).toEqual({ data: [] });

    expect((await mine('GET', `/v1/contacts/${id}`)).body).toEqual(contact);
    expect((await theirs('POST', '/v1/contacts', { phone })).status).toBe(201);
  });

  test('has its own quota, journal, consent and deliveries', async () => {
    const server = startServer({
      quota: 1,
      templates: [{ id: 'welcome', body: 'Welcome!' }],
      contacts: [{ phone }],
    });
    const other = server.workspace({ quota: 7 });
    await askWith(server)('POST', '/v1/transactional', { phone, templateId: 'welcome' });
    await askWith(server)('POST', '/v1/events', { event: 'seen', phone });
    await askWith(server, other)('POST', '/v1/webhooks', {
      url: 'https://example.com/hooks',
      events: ['contact.opted_out'],
    });
    await server.simulate.inboundMessage({ phone, body: 'STOP' });

    expect(await server.journal.quota()).toEqual({ quota: 0, addOnCredits: 0 });
    expect(await other.journal.quota()).toEqual({ quota: 7, addOnCredits: 0 });
    expect(await other.journal.sends()).toEqual([]);
    expect(await other.journal.events()).toEqual([]);
    expect(await other.journal.deliveries()).toEqual([]);
    expect(await other.journal.consent(phone)).toBeUndefined();
    expect(await server.journal.consent(phone)).toBe('opted_out');
    expect(other.id).not.toBe(server.id);
  });

  test('cannot be taken for a second workspace', () => {
    const server = startServer({ apiKey: 'key', workspaceId: 'first' });
    expect(() => server.workspace({ apiKey: 'key' })).toThrow(TypeError);
    expect(() => server.workspace({ workspaceId: 'first' })).toThrow(/another workspace/i);
    expect(() => server.workspace()).not.toThrow();
  });
});
