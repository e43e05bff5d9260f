import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openConnection, requestHead } from '../support/raw-connection.js';
import { startServer } from '../support/reference.js';

/** The response to a request with any Host header, which `fetch` does not send. */
async function get(url: string, path: string, Host: string): Promise<string> {
  const connection = await openConnection(url);
  connection.send(requestHead('GET', path, { Host, Authorization: 'Bearer test_key' }));
  return connection.responses(1);
}

describe('the workbench', () => {
  test('allows itself no inline script, no other origin, no frame and no markup from text', async () => {
    const { url } = await startServer({ apiKey: 'test_key', workbench: true }).listen();
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

  test('sends its files as they were built', async () => {
    const { url } = await startServer({ apiKey: 'test_key', workbench: true }).listen();
    const file = await readFile(new URL('../../../dist/workbench/main.js.gz', import.meta.url));
    const response = await fetch(`${url}/workbench/main.js`);
    expect(await response.text()).toBe(gunzipSync(file).toString());
    expect(response.headers.get('Content-Encoding')).toBeNull();
  });
});

describe('a server with the workbench', () => {
  const paths = ['/', '/control', '/api/v1/templates', '/health'];

  test('rejects a foreign host, which a page of DNS rebinding sends', async () => {
    const { url } = await startServer({ apiKey: 'test_key', workbench: true }).listen();
    for (const path of paths) {
      const refusal = await get(url, path, 'evil.example');
      expect(refusal, path).toMatch(/^HTTP\/1\.1 421 /);
      expect(refusal).not.toMatch(/workbench|"data"/);
      expect(await get(url, path, 'localhost:4010'), path).toMatch(/^HTTP\/1\.1 200 /);
    }
  });

  test('is the only one that looks at the host', async () => {
    const { url } = await startServer({ apiKey: 'test_key' }).listen();
    expect(await get(url, '/health', 'service.test')).toMatch(/^HTTP\/1\.1 200 /);
  });
});
