import { describe, expect, test } from 'vitest';
import { askWith, invalid, phone, refusal, startServer, startWithApi } from '../support/reference.js';

const url = 'https://example.com/hooks';
const events = ['message.received'];

describe('fields that are missing, unknown or wrong', () => {
  test.each([
    ['POST', '/v1/contacts', {}, ['phone']],
    ['POST', '/v1/contacts', { phone, id: 'x', firstName: 'Ada' }, ['id', 'firstName']],
    [
      'POST',
      '/v1/contacts',
      { phone, properties: { a: null, b: {}, c: [1], d: 'fine' } },
      ['properties.a', 'properties.b', 'properties.c'],
    ],
    ['PUT', '/v1/contacts/x', {}, ['properties']],
    ['POST', '/v1/transactional', {}, ['phone', 'templateId']],
    ['POST', '/v1/transactional', { phone, templateId: 't', variables: { 1: 1 } }, ['variables.1']],
    ['POST', '/v1/events', { phone }, ['event']],
    ['POST', '/v1/events', { event: 'seen' }, ['contactId']],
    ['POST', '/v1/events', { event: 'seen', phone, contactId: 'x' }, ['contactId']],
    ['POST', '/v1/webhooks', {}, ['url', 'events']],
    ['POST', '/v1/webhooks', { url, events: [...events, 'order_placed', 1] }, ['events[1]', 'events[2]']],
    ['POST', '/v1/webhooks', { url: 'example.com/hooks', events }, ['url']],
  ])('give 400 that names each: %s %s %j', async (method, path, sent, fields) => {
    const { status, body } = await askWith(startServer())(method, path, sent);
    expect([status, body]).toEqual([400, refusal('invalid_request', ...fields)]);
  });

  test('are counted where there are thousands, and the first twenty named', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`field${index}`, 1]));
    const { status, body } = await askWith(startServer())('POST', '/v1/contacts', { phone, ...unknown });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: {
        message:
          'field0 is not a known field; remove it or check its spelling (and 39999 more, 19 of them in the details).',
        details: Array.from({ length: 20 }, (_, index) => ({ field: `field${index}` })),
      },
    });
  });

  test('are named in part where their names are long', async () => {
    const { body } = await askWith(startServer())('POST', '/v1/contacts', {
      phone,
      ['x'.repeat(900_000)]: 1,
    });
    const name = `${'x'.repeat(200)}…`;
    expect(body).toMatchObject({
      error: { message: expect.stringContaining(name), details: [{ field: name }] },
    });
    expect(JSON.stringify(body).length).toBeLessThan(1_000);
  });

  test.each([
    ['GET', '/v1/templates?limit=10', ['limit']],
    ['GET', '/v1/webhooks?page=2&page=3&limit=10', ['page', 'limit']],
    ['GET', '/v1/contacts/find?phone=%2B15551234567&exact=true', ['exact']],
    ['GET', '/v1/contacts/find?Phone=%2B15551234567', ['phone']],
    ['DELETE', '/v1/contacts/x?force', ['force']],
    ['GET', '/v1/templates?__proto__=1', ['__proto__']],
  ])('in the query give 400 that names each: %s %s', async (method, path, fields) => {
    const { status, body } = await askWith(startServer())(method, path);
    expect([status, body]).toEqual([400, refusal('invalid_request', ...fields)]);
  });

  test.each(['/v1/templates?', '/v1/templates?&'])('are none in an empty query: %s', async (path) => {
    expect((await askWith(startServer())('GET', path)).status).toBe(200);
  });

  test('are refused before anything is looked up or changed', async () => {
    const { server, ask } = startWithApi({
      quota: 1,
      templates: [{ id: 't', body: 'Hi' }],
      contacts: [{ phone }],
    });
    await ask('POST', '/v1/transactional', { phone, templateId: 't', variables: null });
    await ask('POST', '/v1/contacts', { phone, properties: { city: 'London', country: null } });
    expect(await server.journal.quota()).toMatchObject({ quota: 1 });
    expect((await ask('GET', '/v1/contacts/find?phone=%2B15551234567')).body).toMatchObject({
      properties: { phone },
    });
  });
});

test.each(['+1234567890123456', '15551234567', '+1 555 123 4567', '+15551234567\n', 15551234567])(
  'a phone that is not E.164 is refused, and not repeated: %j',
  async (bad) => {
    const ask = askWith(startServer());
    for (const [path, others] of [
      ['/v1/contacts', {}],
      ['/v1/transactional', { templateId: 't' }],
      ['/v1/events', { event: 'seen' }],
    ] as const) {
      expect(await ask('POST', path, { phone: bad, ...others })).toMatchObject(invalid('phone'));
    }
  },
);
