import { describe, expect, test } from 'vitest';
import { defaultServer, phone, receiver, refusal } from './default-server.js';

describe('what the reference server refuses, where the document shows nothing', () => {
  test('a missing field gives 400 invalid_request, with details', async () => {
    const { call } = defaultServer();
    const { status, answer } = await call('POST', '/v1/transactional', { templateId: 1 });
    expect(status).toBe(400);
    expect(answer).toEqual(refusal('invalid_request', 'phone', 'templateId'));
  });

  test('an unknown field gives 400 that names it', async () => {
    const { call } = defaultServer();
    const { status, answer } = await call('POST', '/v1/contacts', { phone, property: {} });
    expect(status).toBe(400);
    expect(answer).toEqual(refusal('invalid_request', 'property'));
  });

  test.each(['15551234567', '+0', '+1 555 123 4567', 15551234567, null])(
    'a phone that is not E.164 gives 400: %s',
    async (bad) => {
      const { call } = defaultServer();
      const { status, answer } = await call('POST', '/v1/contacts', { phone: bad });
      expect(status).toBe(400);
      expect(answer).toEqual(refusal('invalid_request', 'phone'));
    },
  );

  test.each([{ city: 'London' }, null, [1], [[]]])(
    'a property value that §2 does not name gives 400: %j',
    async (value) => {
      const { call } = defaultServer();
      const { status, answer } = await call('POST', '/v1/contacts', { phone, properties: { value } });
      expect(status).toBe(400);
      expect(answer).toEqual(refusal('invalid_request', 'properties.value'));
    },
  );

  test('a property named __proto__ gives 400', async () => {
    const { call } = defaultServer();
    const text = `{"phone": "${phone}", "properties": {"__proto__": "x"}}`;
    const { status, answer } = await call('POST', '/v1/contacts', text);
    expect(status).toBe(400);
    expect(answer).toEqual(refusal('invalid_request', 'properties.__proto__'));
  });

  test('a body that is not JSON gives 400 invalid_json', async () => {
    const { call } = defaultServer();
    for (const text of ['{"phone":', '', 'phone=1']) {
      const { status, answer } = await call('POST', '/v1/contacts', text);
      expect(status).toBe(400);
      expect(answer).toEqual(refusal('invalid_json'));
    }
  });

  test('a body that is not application/json gives 415', async () => {
    const { call } = defaultServer();
    const { status, answer } = await call('POST', '/v1/contacts', `{"phone":"${phone}"}`, {
      'Content-Type': 'text/plain',
    });
    expect(status).toBe(415);
    expect(answer).toEqual(refusal('unsupported_media_type'));
  });

  test('a body larger than 1 MiB gives 413', async () => {
    const { call } = defaultServer();
    const { status, answer } = await call('POST', '/v1/contacts', { phone, note: 'x'.repeat(1024 * 1024) });
    expect(status).toBe(413);
    expect(answer).toEqual(refusal('payload_too_large'));
  });

  test('find with an unencoded + gives 400 that names %2B', async () => {
    const { call } = defaultServer();
    const { status, answer } = await call('GET', `/v1/contacts/find?phone=${phone}`);
    expect(status).toBe(400);
    expect(answer).toEqual(refusal('invalid_request', 'phone'));
    expect(JSON.stringify(answer)).toContain('%2B');
  });

  test('another phone among the properties gives 400', async () => {
    const { call, created } = defaultServer();
    const id = await created();
    const body = { properties: { phone: '+442071838750' } };
    for (const { status, answer } of [
      await call('PUT', `/v1/contacts/${id}`, body),
      await call('POST', '/v1/contacts', { phone, ...body }),
    ]) {
      expect(status).toBe(400);
      expect(answer).toEqual(refusal('invalid_request', 'properties.phone'));
    }
  });

  test('an event names its contact by contactId or by phone: neither and both give 400', async () => {
    const { call, created } = defaultServer();
    const contactId = await created();
    for (const names of [{}, { contactId, phone }]) {
      const { status, answer } = await call('POST', '/v1/events', { event: 'order_placed', ...names });
      expect(status).toBe(400);
      expect(answer).toEqual(refusal('invalid_request', 'contactId'));
    }
  });

  test('a subscription needs url and events, both', async () => {
    const { call } = defaultServer();
    const { status, answer } = await call('POST', '/v1/webhooks', {});
    expect(status).toBe(400);
    expect(answer).toEqual(refusal('invalid_request', 'url', 'events'));
  });

  test('an unknown event type in a subscription gives 400', async () => {
    const { call } = defaultServer();
    const { status, answer } = await call('POST', '/v1/webhooks', { ...receiver, events: ['message.sent'] });
    expect(status).toBe(400);
    expect(answer).toEqual(refusal('invalid_request', 'events[0]'));
  });

  test('a url over http gives 400, unless it is of this machine', async () => {
    const { call } = defaultServer();
    const events = ['message.received'];
    for (const url of ['http://example.com/hooks', 'ftp://example.com', 'hooks']) {
      const { status, answer } = await call('POST', '/v1/webhooks', { url, events });
      expect(status, url).toBe(400);
      expect(answer).toEqual(refusal('invalid_request', 'url'));
    }
    for (const url of ['http://127.0.0.1:9/hooks', 'http://localhost/hooks', 'http://[::1]/hooks']) {
      expect((await call('POST', '/v1/webhooks', { url, events })).status, url).toBe(201);
    }
  });
});
