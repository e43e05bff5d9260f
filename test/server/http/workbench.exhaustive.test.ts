import { readdir, readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
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

/** The response as its bytes arrive: `fetch` decompresses them. */
async function received(url: string, method: string, headers: Readonly<Record<string, string>>) {
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method, headers, agent: false }, resolve).on('error', reject).end();
  });
  return { status: incoming.statusCode, headers: incoming.headers, body: await buffer(incoming) };
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
    ['gzip;q=0, *', undefined],
    ['identity', undefined],
    [undefined, undefined],
  ])('sends its files to a client with Accept-Encoding %s in the coding %s', async (accepted, coding) => {
    const { url } = await startServer({ apiKey: 'test_key', workbench: true }).listen();
    const folder = new URL('../../../dist/workbench/', import.meta.url);
    const stored = (await readdir(folder)).filter((name) => name.endsWith('.gz'));
    expect(stored.length).toBeGreaterThan(3);
    for (const name of stored) {
      const file = await readFile(new URL(name, folder));
      const path = name === 'index.html.gz' ? '/' : `/workbench/${name.slice(0, -3)}`;
      const sent = coding === 'gzip' ? file : gunzipSync(file);
      for (const [method, more] of [
        ['GET', {}],
        ['HEAD', {}],
        ['GET', { Range: 'bytes=0-9' }],
      ] as const) {
        const headers = { ...more, ...(accepted !== undefined && { 'Accept-Encoding': accepted }) };
        const response = await received(`${url}${path}`, method, headers);
        expect(response.status, path).toBe(200);
        expect(response.headers['content-encoding']).toBe(coding);
        expect(response.headers.vary).toBe('Accept-Encoding');
        expect(response.headers['cache-control']).toBe('no-cache');
        expect(response.headers['content-length']).toBe(String(sent.byteLength));
        expect(response.body.equals(method === 'HEAD' ? Buffer.alloc(0) : sent), path).toBe(true);
      }
    }
  });

  test('gives its files to a caller of `fetch` in the coding that the request takes', async () => {
    const server = startServer({ workbench: true, cors: ['https://shop.test'] });
    const get = (headers: Record<string, string>, method = 'GET') =>
      server.fetch(new Request('http://localhost/workbench/main.js', { method, headers }));
    const compressed = await get({ 'Accept-Encoding': 'gzip', Origin: 'https://shop.test' });
    expect(compressed.headers.get('Vary')).toBe('Accept-Encoding, Origin');
    const plain = await get({});
    expect(plain.headers.get('Content-Encoding')).toBeNull();
    expect(gunzipSync(await compressed.arrayBuffer()).toString()).toBe(await plain.text());
    expect(await (await get({}, 'HEAD')).text()).toBe('');
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
