import { ApiError, MessagingAutomation, RateLimitError } from 'messaging-automation';
import { describe, expect, test } from 'vitest';

/** The SDK, in front of a service that responds to every request alike. */
function facing(status: number, body: string | null): MessagingAutomation {
  const fetch = async () =>
    new Response(body, { status, headers: body === null ? {} : { 'Content-Type': 'application/json' } });
  const baseUrl = 'https://api.example.test/api';
  return new MessagingAutomation({ apiKey: 'key', baseUrl, fetch, retries: 0, onDrift: () => {} });
}

describe('what the SDK accepts, and no gap of the reference server shows', () => {
  test.each([
    ['an empty 200', ''],
    ['something else', '{"success": true}'],
  ])('update succeeds with %s', async (_, body) => {
    expect(await facing(200, body).contacts.update('contact-1', { properties: {} })).toBeUndefined();
  });

  test('a template may be any object with an id', async () => {
    const templates = [{ id: 'a' }, { id: 'b', body: { text: 'Hello' }, status: 7, more: [null] }];
    expect(await facing(200, JSON.stringify(templates)).templates.list()).toEqual(templates);
  });

  test('a rate limit may give 429 without Retry-After', async () => {
    const refusal = facing(429, '{}').templates.list();
    await expect(refusal).rejects.toThrow(RateLimitError);
    await expect(refusal).rejects.toMatchObject({ status: 429, retryAfter: undefined });
  });

  test.each([405, 409, 413, 415, 418])(
    'a status that the document does not name is an ApiError: %i',
    async (status) => {
      await expect(facing(status, null).contacts.upsert({ phone: '+15551234567' })).rejects.toThrow(ApiError);
    },
  );
});
