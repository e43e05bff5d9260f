import { request } from 'node:http';
import { createReferenceServer, type ReferenceServerOptions } from 'messaging-automation/server';
import { describe, expect, onTestFinished, test } from 'vitest';

async function listening(options: ReferenceServerOptions) {
  const server = createReferenceServer({ apiKey: 'test_key', ...options });
  onTestFinished(() => server.close());
  return server.listen({ port: 0 });
}

/** The response to a request with any Host header, which `fetch` does not send. */
function get(url: string, host: string): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers: { Host: host, Authorization: 'Bearer test_key' } }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    asked.on('error', reject).end();
  });
}

describe('the workbench', () => {
  test('allows itself no inline script, no other origin, no frame and no markup from text', async () => {
    const { url } = await listening({ workbench: true });
    const { headers } = await fetch(url);

    const policy = headers.get('Content-Security-Policy')?.split('; ') ?? [];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy.join()).not.toMatch(/unsafe|\*|https?:/);
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
  });
});

describe('a server with the workbench', () => {
  const paths = ['/', '/control', '/api/v1/templates', '/health'];

  test('rejects a foreign host, which a page of DNS rebinding sends', async () => {
    const { url } = await listening({ workbench: true });
    for (const path of paths) {
      const { status, body } = await get(url + path, 'evil.example');
      expect([path, status]).toEqual([path, 421]);
      expect(body).not.toMatch(/workbench|"data"/);
      expect([path, (await get(url + path, 'localhost:4010')).status]).toEqual([path, 200]);
    }
  });

  test('is the only one that looks at the host', async () => {
    const { url } = await listening({});
    expect((await get(`${url}/health`, 'service.test')).status).toBe(200);
  });
});
