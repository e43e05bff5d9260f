import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  MessagingAutomation,
  NotFoundError,
  PermissionError,
  QuotaExceededError,
  RateLimitError,
} from 'messaging-automation';
import { HttpResponse, http } from 'msw';
import { describe, expect, onTestFinished, test } from 'vitest';
import { intercept } from './environments/interception.js';

const baseUrl = 'https://api.example.test/api';
const phone = '+15551234567';
const contact = { id: 'contact-1', properties: { phone, city: 'London' } };
const send = { phone, templateId: 'order_update' };

/** The SDK, in front of a service that answers every request alike. */
function facing(
  status: number,
  body: unknown,
  contentType = 'application/json',
  more: Readonly<Record<string, string>> = {},
): MessagingAutomation {
  const text = typeof body === 'string' ? body : body === undefined ? null : JSON.stringify(body);
  const headers = text === null ? more : { 'Content-Type': contentType, ...more };
  const interception = intercept([
    http.all(`${baseUrl}/*`, () => new HttpResponse(text, { status, headers })),
  ]);
  onTestFinished(() => interception.close());
  return new MessagingAutomation({ apiKey: 'key', baseUrl, retries: 0, onDrift: () => {} });
}

describe('what the SDK accepts, where the document shows nothing', () => {
  test.each([
    ['itself', contact],
    ['under contact', { contact }],
    ['under data', { data: contact }],
  ])('find, get and update give the contact: %s', async (_, body) => {
    const messaging = facing(200, body);
    expect(await messaging.contacts.find(phone)).toEqual(contact);
    expect(await messaging.contacts.get('contact-1')).toEqual(contact);
    expect(await messaging.contacts.update('contact-1', { properties: {} })).toEqual(contact);
  });

  test.each([
    ['an empty 204', 204, undefined],
    ['an empty 200', 200, ''],
    ['something else', 200, { success: true }],
  ])('update succeeds with %s', async (_, status, body) => {
    const messaging = facing(status, body);
    expect(await messaging.contacts.update('contact-1', { properties: {} })).toBeUndefined();
  });

  test.each([
    ['bare', (list: unknown) => list],
    ['under data', (list: unknown) => ({ data: list, total: 1 })],
    ['under its own name', (list: unknown) => ({ templates: list, webhooks: list })],
  ])('a list may come %s', async (_, wrap) => {
    const entry = { id: '1', url: 'https://example.com', events: [], enabled: true, createdAt: 1 };
    const messaging = facing(200, wrap([entry]));
    expect(await messaging.templates.list()).toEqual([entry]);
    expect(await messaging.webhooks.list()).toEqual([entry]);
  });

  test('a listed subscription may show its secret', async () => {
    const subscription = {
      id: '1',
      url: 'https://example.com',
      events: ['message.received'],
      secret: 'whsec_shown',
      enabled: true,
      createdAt: 1,
    };
    expect(await facing(200, [subscription]).webhooks.list()).toEqual([subscription]);
  });

  test('a template may be any object with an id', async () => {
    const templates = [{ id: 'a' }, { id: 'b', body: { text: 'Hello' }, status: 7, more: [null] }];
    expect(await facing(200, templates).templates.list()).toEqual(templates);
  });

  test.each([
    [
      '{ error: { code, message } }',
      { error: { code: 'quota_exceeded', message: 'Spent.' } },
      'application/json',
    ],
    ['{ code, message }', { code: 'quota_exceeded', message: 'Spent.' }, 'application/json'],
    ['{ error: code }', { error: 'quota_exceeded' }, 'application/json'],
    ['text', 'Spent.', 'text/plain'],
    ['a page', '<!doctype html><title>402</title>', 'text/html'],
    ['nothing', undefined, 'application/json'],
  ])('an error body may be %s: its status decides', async (_, body, contentType) => {
    const refusal = facing(402, body, contentType).transactional.send(send);
    await expect(refusal).rejects.toThrow(QuotaExceededError);
    await expect(refusal).rejects.toMatchObject({ status: 402, operation: 'transactional.send' });
  });

  test.each([
    [401, AuthenticationError],
    [403, PermissionError],
  ])('a key that is refused may give %i', async (status, errorClass) => {
    await expect(facing(status, {}).templates.list()).rejects.toThrow(errorClass);
  });

  test.each([400, 422])('invalid input may give %i', async (status) => {
    const refusal = facing(status, { error: { code: 'invalid_request' } }).contacts.upsert({ phone });
    await expect(refusal).rejects.toThrow(BadRequestError);
  });

  test.each([
    ['without Retry-After', {}, undefined],
    ['with Retry-After', { 'Retry-After': '30' }, 30_000],
  ])('a rate limit may give 429 %s', async (_, headers, retryAfter) => {
    const refusal = facing(429, {}, 'application/json', headers).templates.list();
    await expect(refusal).rejects.toThrow(RateLimitError);
    await expect(refusal).rejects.toMatchObject({ status: 429, retryAfter });
  });

  test('a send of an unknown template may give 404 with a code of its own', async () => {
    const refusal = facing(404, { code: 'template_not_found' }).transactional.send(send);
    await expect(refusal).rejects.toThrow(NotFoundError);
    await expect(refusal).rejects.toMatchObject({ status: 404, code: 'template_not_found' });
  });

  test.each([405, 409, 413, 415, 418])(
    'a status that the document does not name is an ApiError: %i',
    async (status) => {
      await expect(facing(status, undefined).contacts.upsert({ phone })).rejects.toThrow(ApiError);
    },
  );
});
