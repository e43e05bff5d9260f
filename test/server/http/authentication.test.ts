import { describe, expect, test } from 'vitest';
import { askWith, phone, refusal, startServer } from '../support/reference.js';

describe('the API key', () => {
  test.each([
    undefined,
    '',
    'Bearer ',
    'Basic key',
    'Bearer wrong',
    'Bearer key key',
    'Bearer KEY',
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
});

describe('the key of another workspace', () => {
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
});
