import { describe, expect, test } from 'vitest';
import { defaultServer, phone, receiver, refusal } from './default-server.js';

describe('what the reference server answers, where the document shows nothing', () => {
  test('an error is { error: { code, message, details? } }', async () => {
    const { call } = defaultServer();
    const { status, answer } = await call('POST', '/v1/transactional', { phone, templateId: 'order_update' });
    expect(status).toBe(404);
    expect(answer).toEqual(refusal('not_found'));
  });

  test('find and track answer 404 with the code not_found', async () => {
    const { call } = defaultServer();
    for (const { answer } of [
      await call('GET', '/v1/contacts/find?phone=%2B15551234567'),
      await call('POST', '/v1/events', { event: 'order_placed', phone }),
    ]) {
      expect(answer).toEqual(refusal('not_found'));
    }
  });

  test('find, get and update answer 200 with the contact itself', async () => {
    const { call, created } = defaultServer();
    const id = await created({ city: 'London' });
    const contact = { id, properties: { phone, city: 'London' } };
    for (const answer of [
      await call('GET', '/v1/contacts/find?phone=%2B15551234567'),
      await call('GET', `/v1/contacts/${id}`),
      await call('PUT', `/v1/contacts/${id}`, { properties: { city: 'London' } }),
    ]) {
      expect(answer).toMatchObject({ status: 200, answer: contact });
    }
  });

  test('a list is { data: [...] }', async () => {
    const { call } = defaultServer();
    expect((await call('GET', '/v1/webhooks')).answer).toEqual({ data: [] });
    expect((await call('GET', '/v1/templates')).answer).toEqual({ data: expect.any(Array) });
  });

  test('a listed subscription leaves its secret out', async () => {
    const { call } = defaultServer();
    await call('POST', '/v1/webhooks', receiver);
    const { answer } = await call('GET', '/v1/webhooks');
    expect(answer).toMatchObject({ data: [receiver] });
    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  test('a template is { id, name, language, status, body, variables }', async () => {
    const { call } = defaultServer();
    const [template] = Object(Reflect.get(Object((await call('GET', '/v1/templates')).answer), 'data'));
    expect(template).toEqual({
      id: 'order_update',
      name: expect.any(String),
      language: expect.any(String),
      status: 'approved',
      body: 'Hello {{1}}, your order {{2}} is on its way.',
      variables: ['1', '2'],
    });
  });

  test.each([undefined, 'Bearer', 'Bearer wrong', 'Basic a2V5'])(
    'a key that is missing or not valid gives 401 unauthorized: %s',
    async (header) => {
      const { server } = defaultServer();
      const headers = new Headers(header === undefined ? {} : { Authorization: header });
      const response = await server.fetch(new Request('http://localhost/api/v1/templates', { headers }));
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual(refusal('unauthorized'));
    },
  );

  test('an unknown path gives 404 unknown_path, another method 405 with Allow', async () => {
    const { call } = defaultServer();
    const path = await call('GET', '/v2/contacts');
    expect(path.status).toBe(404);
    expect(path.answer).toEqual(refusal('unknown_path'));
    const method = await call('PATCH', '/v1/contacts');
    expect(method.status).toBe(405);
    expect(method.answer).toEqual(refusal('method_not_allowed'));
    expect(method.headers.get('allow')).toBe('POST');
  });

  test('an unknown id gives 404 not_found on get, update and delete', async () => {
    const { call } = defaultServer();
    for (const answer of [
      await call('GET', '/v1/contacts/nobody'),
      await call('PUT', '/v1/contacts/nobody', { properties: {} }),
      await call('DELETE', '/v1/contacts/nobody'),
      await call('DELETE', '/v1/webhooks/nothing'),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.answer).toEqual(refusal('not_found'));
    }
  });

  test('there is no rate limit', async () => {
    const { call } = defaultServer();
    const answers = await Promise.all(Array.from({ length: 200 }, () => call('GET', '/v1/templates')));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });
});
