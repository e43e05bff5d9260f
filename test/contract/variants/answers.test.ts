import { BadRequestError, NotFoundError, QuotaExceededError } from 'messaging-automation';
import type { SpecGaps } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { phone, receiver, refusal, variantServer } from '../defaults/default-server.js';

const order = { phone, templateId: 'order_update', variables: { '1': 'Ada', '2': 'A-1001' } };
const message = "The plan's conversation quota and add-on credits are exhausted.";

describe('what the reference server answers, where a switch is set', () => {
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
    const { server, messaging } = variantServer({ errorBody }, { quota: 0, contacts: [{ phone }] });
    const request = new Request('http://localhost/api/v1/transactional', {
      method: 'POST',
      headers: { Authorization: `Bearer ${server.apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(order),
    });
    const response = await server.fetch(request);
    expect(response.status).toBe(402);
    expect(response.headers.get('content-type') ?? '').toMatch(new RegExp(`^${contentType}`));
    expect(await response.text()).toBe(text);
    const refused = messaging.transactional.send(order);
    await expect(refused).rejects.toThrow(QuotaExceededError);
    await expect(refused).rejects.toMatchObject({ status: 402, code, outcome: 'rejected' });
  });

  test('a page repeats nothing of a request as markup', async () => {
    const { server } = variantServer({ errorBody: 'html' });
    const request = new Request('http://localhost/api/v1/contacts', {
      method: 'POST',
      headers: { Authorization: `Bearer ${server.apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ phone, '<script>': 1 }),
    });
    const page = await (await server.fetch(request)).text();
    expect(page).toContain('&#60;script&#62;');
    expect(page).not.toContain('<script>');
  });

  test.each<[SpecGaps['listBody'], (list: unknown, name: string) => unknown]>([
    ['array', (list) => list],
    ['named', (list, name) => ({ [name]: list })],
  ])('a list may be %s', async (listBody, wrap) => {
    const { call, messaging, drifts } = variantServer({ listBody });
    await call('POST', '/v1/webhooks', receiver);
    const webhooks = await messaging.webhooks.list();
    const templates = await messaging.templates.list();
    expect(webhooks).toMatchObject([receiver]);
    expect(templates).toHaveLength(2);
    expect((await call('GET', '/v1/webhooks')).answer).toEqual(wrap(webhooks, 'webhooks'));
    expect((await call('GET', '/v1/templates')).answer).toEqual(wrap(templates, 'templates'));
    expect(drifts).toEqual([]);
  });

  test.each(['contact', 'data'] as const)(
    'find, get and update may answer with the contact under %s',
    async (contactBody) => {
      const { call, created, messaging, drifts } = variantServer({ contactBody });
      expect((await call('POST', '/v1/contacts', { phone })).answer).toHaveProperty('id');
      const id = await created({ city: 'London' });
      const contact = { id, properties: { phone, city: 'London' } };
      const properties = { city: 'London' };
      for (const { status, answer } of [
        await call('GET', '/v1/contacts/find?phone=%2B15551234567'),
        await call('GET', `/v1/contacts/${id}`),
        await call('PUT', `/v1/contacts/${id}`, { properties }),
      ]) {
        expect(status).toBe(200);
        expect(answer).toEqual({ [contactBody]: contact });
      }
      expect(await messaging.contacts.find(phone)).toEqual(contact);
      expect(await messaging.contacts.get(id)).toEqual(contact);
      expect(await messaging.contacts.update(id, { properties })).toEqual(contact);
      expect(drifts).toEqual([]);
    },
  );

  test('an update may answer with an empty 204', async () => {
    const { call, created, messaging, drifts } = variantServer({ updateAnswer: 'empty' });
    const id = await created();
    const properties = { city: 'Paris' };
    expect(await call('PUT', `/v1/contacts/${id}`, { properties })).toMatchObject({
      status: 204,
      answer: undefined,
    });
    expect(await messaging.contacts.update(id, { properties })).toBeUndefined();
    expect((await messaging.contacts.get(id)).properties).toEqual({ phone, city: 'Paris' });
    expect(drifts).toEqual([]);
  });

  test('a key that is not valid may give 403', async () => {
    const { call } = variantServer({ unauthorizedStatus: 403 });
    const { status, answer, headers } = await call('GET', '/v1/templates', undefined, {
      Authorization: 'Bearer wrong',
    });
    expect(status).toBe(403);
    expect(answer).toEqual(refusal('unauthorized'));
    expect(headers.get('www-authenticate')).toBeNull();
  });

  test('invalid input may give 422', async () => {
    const { call, messaging } = variantServer({ invalidRequestStatus: 422 });
    const { status, answer } = await call('POST', '/v1/contacts', {});
    expect(status).toBe(422);
    expect(answer).toEqual(refusal('invalid_request', 'phone'));
    const unheardOf = { note: 'The SDK sends fields that it does not know.' };
    const refused = messaging.transactional.send({ ...order, ...unheardOf });
    await expect(refused).rejects.toThrow(BadRequestError);
  });

  test.each([400, 422] as const)(
    'a body that cannot be read may give %i, whatever keeps it from being read',
    async (status) => {
      const { call } = variantServer({ unreadableBodyStatus: status });
      const large = { phone, note: 'x'.repeat(1024 * 1024) };
      const text = { 'Content-Type': 'text/plain' };
      expect(await call('POST', '/v1/contacts', '{')).toMatchObject({
        status,
        answer: refusal('invalid_json'),
      });
      expect(await call('POST', '/v1/contacts', large)).toMatchObject({
        status,
        answer: refusal('payload_too_large'),
      });
      expect(await call('POST', '/v1/contacts', '{}', text)).toMatchObject({
        status,
        answer: refusal('unsupported_media_type'),
      });
    },
  );

  test('an unknown id may give 410, where the document shows no 404', async () => {
    const { call, messaging } = variantServer({ unknownIdStatus: 410 });
    for (const answer of [
      await call('GET', '/v1/contacts/nobody'),
      await call('PUT', '/v1/contacts/nobody', { properties: {} }),
      await call('DELETE', '/v1/contacts/nobody'),
      await call('DELETE', '/v1/webhooks/nothing'),
    ]) {
      expect(answer).toMatchObject({ status: 410, answer: refusal('not_found') });
    }
    expect((await call('POST', '/v1/events', { event: 'seen', contactId: 'nobody' })).status).toBe(404);
    expect((await call('GET', '/v1/contacts/find?phone=%2B15551234567')).status).toBe(404);
    await expect(messaging.contacts.get('nobody')).rejects.toThrow(NotFoundError);
  });

  test('a listed subscription may show its secret', async () => {
    const { messaging, drifts } = variantServer({ secretInList: 'shown' });
    const created = await messaging.webhooks.create({ url: receiver.url, events: ['message.received'] });
    expect(await messaging.webhooks.list()).toEqual([created]);
    expect(drifts).toEqual([]);
  });

  test('a listed template may be its id alone', async () => {
    const { messaging, drifts } = variantServer({ templateRecord: 'id' });
    expect(await messaging.templates.list()).toEqual([{ id: 'order_update' }, { id: 'summer_sale' }]);
    expect(drifts).toEqual([]);
  });

  test("the first workspace's switches hold for requests that no key opens, its own for all others", async () => {
    const { server, call } = variantServer({ errorBody: 'code', unauthorizedStatus: 403 });
    const other = server.workspace({ specGaps: { errorBody: 'flat', unauthorizedStatus: 401 } });
    const theirs = { Authorization: `Bearer ${other.apiKey}` };
    const wrong = { Authorization: 'Bearer wrong' };
    expect(await call('GET', '/v1/templates', undefined, wrong)).toMatchObject({
      status: 403,
      answer: { error: 'unauthorized' },
    });
    expect((await call('GET', '/v1/nothing')).answer).toEqual({ error: 'unknown_path' });
    expect((await call('GET', '/v1/contacts/nobody')).answer).toEqual({ error: 'not_found' });
    const { answer } = await call('GET', '/v1/contacts/nobody', undefined, theirs);
    expect(answer).toMatchObject({ code: 'not_found' });
  });

  test('a fault that is injected has an error body of the same kind', async () => {
    const { call } = variantServer(
      { errorBody: 'code' },
      {
        faults: [
          { operation: 'templates.list', fault: { kind: 'status', status: 503, code: 'unavailable' } },
        ],
      },
    );
    expect(await call('GET', '/v1/templates')).toMatchObject({
      status: 503,
      answer: { error: 'unavailable' },
    });
  });
});
