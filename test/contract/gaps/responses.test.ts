import {
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  QuotaExceededError,
} from 'messaging-automation';
import type { ReferenceServer, SpecGaps } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { expectRefusal, openServer, order, phone, receiver } from './gap-server.js';

const message = "The plan's conversation quota and add-on credits are exhausted.";

function post(server: ReferenceServer, path: string, body: object): Promise<Response> {
  const headers = { Authorization: `Bearer ${server.apiKey}`, 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return server.fetch(new Request(`http://localhost/api/v1/${path}`, init));
}

describe('what the reference server responds, where the document shows nothing', () => {
  test.each<[SpecGaps['errorBody'], string, string | undefined, string]>([
    [
      'nested',
      'application/json',
      'quota_exceeded',
      JSON.stringify({ error: { code: 'quota_exceeded', message } }),
    ],
    ['flat', 'application/json', 'quota_exceeded', JSON.stringify({ code: 'quota_exceeded', message })],
    ['code', 'application/json', 'quota_exceeded', '{"error":"quota_exceeded"}'],
    ['text', 'text/plain', undefined, `quota_exceeded: ${message}`],
    ['html', 'text/html', undefined, `<!doctype html><title>402</title><p>${message}</p>\n`],
    ['empty', '', undefined, ''],
  ])('an error body may be %s', async (errorBody, contentType, code, text) => {
    const { server, messaging } = openServer({ errorBody }, { quota: 0, contacts: [{ phone }] });
    const response = await post(server, 'transactional', order);
    expect(response.status).toBe(402);
    expect(response.headers.get('content-type') ?? '').toMatch(new RegExp(`^${contentType}`));
    expect(await response.text()).toBe(text);
    const refused = messaging.transactional.send(order);
    await expect(refused).rejects.toThrow(QuotaExceededError);
    await expect(refused).rejects.toMatchObject({ status: 402, code, outcome: 'rejected' });
  });

  test('an error is { error: { code, message, details? } } by default', async () => {
    const { ask } = openServer();
    expectRefusal(await ask('POST', '/v1/transactional', order), 404, 'not_found');
    expectRefusal(await ask('POST', '/v1/contacts', {}), 400, 'invalid_request', 'phone');
  });

  test('a page repeats nothing of a request as markup', async () => {
    const { server } = openServer({ errorBody: 'html' });
    const page = await (await post(server, 'contacts', { phone, '<script>': 1 })).text();
    expect(page).toContain('&#60;script&#62;');
    expect(page).not.toContain('<script>');
  });

  test.each<[string, Partial<SpecGaps>, (list: unknown, name: string) => unknown]>([
    ['under data by default', {}, (list) => ({ data: list })],
    ['bare', { listBody: 'array' }, (list) => list],
    ['under its own name', { listBody: 'named' }, (list, name) => ({ [name]: list })],
  ])('a list may be %s', async (_, specGaps, wrap) => {
    const { ask, messaging, drifts } = openServer(specGaps);
    await ask('POST', '/v1/webhooks', receiver);
    const webhooks = await messaging.webhooks.list();
    const templates = await messaging.templates.list();
    expect(webhooks).toMatchObject([receiver]);
    expect(templates).toHaveLength(2);
    expect((await ask('GET', '/v1/webhooks')).body).toEqual(wrap(webhooks, 'webhooks'));
    expect((await ask('GET', '/v1/templates')).body).toEqual(wrap(templates, 'templates'));
    expect(drifts).toEqual([]);
  });

  test.each<[string, Partial<SpecGaps>, (contact: object) => object]>([
    ['itself by default', {}, (contact) => contact],
    ['under contact', { contactBody: 'contact' }, (contact) => ({ contact })],
    ['under data', { contactBody: 'data' }, (contact) => ({ data: contact })],
  ])('find, get and update may respond with the contact %s', async (_, specGaps, wrap) => {
    const { ask, create, messaging, drifts } = openServer(specGaps);
    expect((await ask('POST', '/v1/contacts', { phone })).body).toHaveProperty('id');
    const id = await create({ city: 'London' });
    const contact = { id, properties: { phone, city: 'London' } };
    const properties = { city: 'London' };
    for (const { status, body } of [
      await ask('GET', '/v1/contacts/find?phone=%2B15551234567'),
      await ask('GET', `/v1/contacts/${id}`),
      await ask('PUT', `/v1/contacts/${id}`, { properties }),
    ]) {
      expect([status, body]).toEqual([200, wrap(contact)]);
    }
    expect(await messaging.contacts.find(phone)).toEqual(contact);
    expect(await messaging.contacts.get(id)).toEqual(contact);
    expect(await messaging.contacts.update(id, { properties })).toEqual(contact);
    expect(drifts).toEqual([]);
  });

  test('an update may respond with an empty 204', async () => {
    const { ask, create, messaging, drifts } = openServer({ updateResponse: 'empty' });
    const id = await create();
    const properties = { city: 'Paris' };
    const { status, body } = await ask('PUT', `/v1/contacts/${id}`, { properties });
    expect([status, body]).toEqual([204, undefined]);
    expect(await messaging.contacts.update(id, { properties })).toBeUndefined();
    expect((await messaging.contacts.get(id)).properties).toEqual({ phone, city: 'Paris' });
    expect(drifts).toEqual([]);
  });

  test('a listed subscription leaves its secret out, or may show it', async () => {
    const { ask, messaging } = openServer();
    const { secret: _, ...subscription } = await messaging.webhooks.create({
      ...receiver,
      events: ['message.received'],
    });
    expect((await ask('GET', '/v1/webhooks')).body).toEqual({ data: [subscription] });

    const showing = openServer({ secretInList: 'shown' });
    const created = await showing.messaging.webhooks.create({ ...receiver, events: ['message.received'] });
    expect(await showing.messaging.webhooks.list()).toEqual([created]);
    expect(showing.drifts).toEqual([]);
  });

  test('a template is { id, name, language, status, body, variables }, or may be its id alone', async () => {
    const [template] = await openServer().messaging.templates.list();
    expect(template).toEqual({
      id: 'order_update',
      name: expect.any(String),
      language: expect.any(String),
      status: 'approved',
      body: 'Hello {{1}}, your order {{2}} is on its way.',
      variables: ['1', '2'],
    });
    const { messaging, drifts } = openServer({ templateRecord: 'id' });
    expect(await messaging.templates.list()).toEqual([{ id: 'order_update' }, { id: 'summer_sale' }]);
    expect(drifts).toEqual([]);
  });

  test.each([401, 403] as const)(
    'a key that is missing or not valid may give %i unauthorized',
    async (status) => {
      const { server, ask, messaging } = openServer({ unauthorizedStatus: status });
      for (const Authorization of [undefined, 'Bearer', 'Bearer wrong', 'Basic a2V5']) {
        const refused = await ask('GET', '/v1/templates', undefined, { Authorization });
        expectRefusal(refused, status, 'unauthorized');
        expect(refused.headers.has('www-authenticate')).toBe(status === 401);
      }
      await server.keys.revoke(server.apiKey);
      await expect(messaging.templates.list()).rejects.toThrow(AuthenticationError);
    },
  );

  test('invalid input may give 422', async () => {
    const { ask, messaging } = openServer({ invalidRequestStatus: 422 });
    expectRefusal(await ask('POST', '/v1/contacts', {}), 422, 'invalid_request', 'phone');
    const unknownField = { note: 'The SDK sends fields that it does not know.' };
    const refused = messaging.transactional.send({ ...order, ...unknownField });
    await expect(refused).rejects.toThrow(BadRequestError);
  });

  test.each<[string, Partial<SpecGaps>, readonly number[]]>([
    ['a status for each cause by default', {}, [400, 413, 415]],
    ['400', { unreadableBodyStatus: 400 }, [400, 400, 400]],
    ['422', { unreadableBodyStatus: 422 }, [422, 422, 422]],
  ])('a body that cannot be read may give %s', async (_, specGaps, [json = 0, size = 0, type = 0]) => {
    const { ask } = openServer(specGaps);
    for (const text of ['{"phone":', '', 'phone=1']) {
      expectRefusal(await ask('POST', '/v1/contacts', text), json, 'invalid_json');
    }
    const large = { phone, note: 'x'.repeat(1024 * 1024) };
    expectRefusal(await ask('POST', '/v1/contacts', large), size, 'payload_too_large');
    const otherType = await ask('POST', '/v1/contacts', { phone }, { 'Content-Type': 'text/plain' });
    expectRefusal(otherType, type, 'unsupported_media_type');
  });

  test.each([404, 410] as const)('an unknown id may give %i not_found', async (status) => {
    const { ask, messaging } = openServer(status === 404 ? {} : { unknownIdStatus: status });
    for (const refused of [
      await ask('GET', '/v1/contacts/nobody'),
      await ask('PUT', '/v1/contacts/nobody', { properties: {} }),
      await ask('DELETE', '/v1/contacts/nobody'),
      await ask('DELETE', '/v1/webhooks/nothing'),
    ]) {
      expectRefusal(refused, status, 'not_found');
    }
    await expect(messaging.contacts.get('nobody')).rejects.toThrow(NotFoundError);
    // The document shows this 404.
    for (const contact of [{ contactId: 'nobody' }, { phone }]) {
      expectRefusal(await ask('POST', '/v1/events', { event: 'seen', ...contact }), 404, 'not_found');
    }
    expectRefusal(await ask('GET', '/v1/contacts/find?phone=%2B15551234567'), 404, 'not_found');
  });

  test('there is no rate limit', async () => {
    const { ask } = openServer();
    const responses = await Promise.all(Array.from({ length: 200 }, () => ask('GET', '/v1/templates')));
    expect(responses.every(({ status }) => status === 200)).toBe(true);
  });

  test("the first workspace's gaps hold for requests that no key opens, its own for all others", async () => {
    const { server, ask } = openServer({ errorBody: 'code', unauthorizedStatus: 403 });
    const other = server.workspace({ specGaps: { errorBody: 'flat', unauthorizedStatus: 401 } });
    const wrong = await ask('GET', '/v1/templates', undefined, { Authorization: 'Bearer wrong' });
    expect(wrong).toMatchObject({ status: 403, body: { error: 'unauthorized' } });
    expect((await ask('GET', '/v1/nothing')).body).toEqual({ error: 'unknown_path' });
    expect((await ask('GET', '/v1/contacts/nobody')).body).toEqual({ error: 'not_found' });
    const theirs = { Authorization: `Bearer ${other.apiKey}` };
    const { body } = await ask('GET', '/v1/contacts/nobody', undefined, theirs);
    expect(body).toMatchObject({ code: 'not_found' });
  });

  test('a fault that is injected has an error body of the same kind', async () => {
    const fault = { kind: 'status', status: 503, code: 'unavailable' } as const;
    const { ask } = openServer({ errorBody: 'code' }, { faults: [{ operation: 'templates.list', fault }] });
    expect(await ask('GET', '/v1/templates')).toMatchObject({ status: 503, body: { error: 'unavailable' } });
  });
});
