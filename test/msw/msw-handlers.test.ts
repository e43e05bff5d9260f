import { ConfigurationError } from 'messaging-automation';
import { mswHandlers } from 'messaging-automation/msw';
import type { ReferenceServer } from 'messaging-automation/server';
import { type SetupServer, setupServer } from 'msw/node';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { phone, startServer } from '../server/support/reference.js';

/** A server that seems to stand at the base URL. */
function bridged(baseUrl: string): { server: ReferenceServer; network: SetupServer; headers: Headers } {
  const server = startServer();
  const network = setupServer(...mswHandlers(server, { baseUrl }));
  network.listen({ onUnhandledRequest: 'error' });
  onTestFinished(() => network.close());
  const headers = new Headers({
    Authorization: `Bearer ${server.apiKey}`,
    'Content-Type': 'application/json',
  });
  return { server, network, headers };
}

describe('mswHandlers', () => {
  test.each([
    ['https://api.example.test/api', 'https://api.example.test'],
    ['https://api.example.test/api/', 'https://api.example.test'],
    ['HTTPS://API.Example.Test:443/api', 'https://api.example.test'],
    ['http://localhost:4010/api', 'http://localhost:4010'],
    ['https://example.test/messaging/v7/api', 'https://example.test/messaging/v7'],
    ['https://example.test/api/api', 'https://example.test/api'],
  ])('responds as if the server stood at %s', async (baseUrl, root) => {
    const { server, headers } = bridged(baseUrl);
    const base = `${root}/api/v1`;

    const created = await fetch(`${base}/contacts`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ phone }),
    });
    const contact: unknown = await created.json();
    expect([created.status, contact]).toEqual([201, { id: expect.any(String), properties: { phone } }]);
    expect(created.headers.get('content-type')).toContain('application/json');
    expect(created.headers.get('x-request-id')).toMatch(/^request_/);

    const found = await fetch(`${base}/contacts/find?phone=%2B15551234567`, { headers });
    expect([found.status, await found.json()]).toEqual([200, contact]);

    const control = await fetch(`${root}/control/inbound-messages`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ phone, body: 'STOP' }),
    });
    expect(control.status).toBe(202);
    expect(await server.journal.consent(phone)).toBe('opted_out');

    expect((await fetch(`${base}/templates`)).status).toBe(401);
    expect((await fetch(`${base}/templates`, { method: 'PATCH', headers })).headers.get('allow')).toBe('GET');
    expect((await fetch(`${base}/contacts`, { method: 'POST', headers, body: '{' })).status).toBe(400);
  });

  test('takes a body that is streamed', async () => {
    const { headers } = bridged('https://example.test/prefix/api');
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers,
      body: new Blob([JSON.stringify({ phone })]).stream(),
      duplex: 'half',
    };
    expect((await fetch('https://example.test/prefix/api/v1/contacts', init)).status).toBe(201);
  });

  test.each([
    'https://example.test/v1/templates',
    'https://example.test/apis/v1/templates',
    'https://example.test/api/v1/templates',
    'https://other.test/messaging/api/v1/templates',
    'http://example.test/messaging/api/v1/templates',
    'https://example.test/messaging/',
  ])('leaves everything beyond the base URL alone: %s', async (url) => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => void vi.restoreAllMocks());
    bridged('https://example.test/messaging/api');
    await expect(fetch(url)).rejects.toThrow();
  });

  test.each([
    '',
    'example.test/api',
    'https://example.test',
    'https://example.test/v1',
    'https://example.test/myapi',
    'https://example.test/api/v1',
    'https://example.test/api?key=x',
    'https://example.test/#/api',
    'ftp://example.test/api',
  ])('refuses a base URL that is none: %j', (baseUrl) => {
    expect(() => mswHandlers(startServer(), { baseUrl })).toThrow(ConfigurationError);
    expect(() => mswHandlers(startServer(), { baseUrl })).toThrow(/ends in \/api/);
  });
});
