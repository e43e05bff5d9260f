import { MessagingAutomation } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { phone, startServer } from '../support/reference.js';

describe('the fetch of a server', () => {
  test('is a function of its own, which a client takes', async () => {
    const [server, other] = [startServer(), startServer()];
    const baseUrl = 'https://server.test/api';
    const messaging = new MessagingAutomation({ apiKey: server.apiKey, baseUrl, fetch: server.fetch });

    await messaging.contacts.upsert({ phone, properties: { firstName: 'Ada' } });
    expect((await server.client.contacts.find(phone))?.properties.firstName).toBe('Ada');
    expect(await other.client.contacts.find(phone)).toBeNull();
  });

  test('takes a request, a string or a URL, each with or without an init', async () => {
    const { fetch, apiKey } = startServer();
    const url = 'http://localhost/api/v1/templates';
    const init = { headers: { authorization: `Bearer ${apiKey}` } };
    const responses = [
      fetch(url, init),
      fetch(new URL(url), init),
      fetch(new Request(url, init)),
      fetch(new Request(url), init),
      fetch(url),
      fetch(new Request(url, init), { headers: {} }),
    ];
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([
      200, 200, 200, 200, 401, 401,
    ]);
  });

  test('rejects what is no URL, as fetch does', async () => {
    await expect(startServer().fetch('/api/v1/templates')).rejects.toThrow(TypeError);
  });
});
