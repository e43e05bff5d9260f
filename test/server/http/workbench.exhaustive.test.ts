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

/** What `fetch` makes of a response, for one that did not come over the network. */
async function decompressed(response: Response): Promise<Response> {
  const { headers, body } = response;
  if (headers.get('Content-Encoding') !== 'gzip' || body === null) return response;
  return new Response(body.pipeThrough(new DecompressionStream('gzip')), { headers });
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

  test.each([
    ['gzip, deflate, br', 'gzip'],
    ['br;q=1.0, GZIP;q=0.5', 'gzip'],
    ['identity', null],
    ['gzip;q=0, br', null],
    ['gzip; q=0.0', null],
  ])('to a client that accepts %s, sends its files by %s', async (accepted, encoding) => {
    const server = startServer({ apiKey: 'test_key', workbench: true });
    const { url } = await server.listen();
    const headers = { 'Accept-Encoding': accepted };
    const file = await readFile(new URL('../../../dist/workbench/main.js.gz', import.meta.url));
    const plain = gunzipSync(file).toString();
    for (const responded of [
      await fetch(`${url}/workbench/main.js`, { headers }), // decompresses the response
      await decompressed(await server.fetch(new Request(`${url}/workbench/main.js`, { headers }))),
    ]) {
      expect(responded.headers.get('Content-Encoding')).toBe(encoding);
      expect(responded.headers.get('Vary')).toContain('Accept-Encoding');
      expect(await responded.text()).toBe(plain);
    }
    const head = await fetch(`${url}/workbench/main.js`, { method: 'HEAD', headers });
    expect(await head.text()).toBe('');
    const length = Number(head.headers.get('Content-Length'));
    if (encoding === null) expect(length).toBe(Buffer.byteLength(plain));
    else expect(length).toBeLessThan(Buffer.byteLength(plain) / 2);
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
