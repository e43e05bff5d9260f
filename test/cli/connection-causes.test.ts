import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { explainConnection, type Way } from '../../src/foundation/connection-causes.js';
import { folderWith } from '../folder.js';
import { nowhere, serveRequests } from './http-servers.js';
import { runCommand } from './served.js';

const env = { MESSAGING_AUTOMATION_API_KEY: 'test_key' };

/** A certificate that openssl makes for this test. */
function certificate(...words: readonly string[]) {
  const folder = folderWith({});
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', [...request, '-keyout', key, '-out', cert, ...words], { stdio: 'pipe' });
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

async function serveTls(credentials: ReturnType<typeof certificate>): Promise<string> {
  const server = createTlsServer(credentials, (_, response) => response.end('[]')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port }: AddressInfo = Object(server.address());
  return `https://localhost:${port}`;
}

/** What a command says of a server that it cannot use. */
async function complaints(url: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const all = [['webhooks', 'list'], ['logs'], ['send', '--to', '+15551234567', '--template', 'x']];
  const runs = all.map((words) =>
    runCommand([...words, '--url', url, '--json'], { env: { ...env, ...more } }),
  );
  const ended = await Promise.all(runs);
  expect(ended.map(({ exitCode }) => exitCode)).toEqual([1, 1, 1]);
  return ended.map((run) => run.complaints).join('\n');
}

describe('over real sockets', () => {
  test('a certificate that is signed by itself names NODE_EXTRA_CA_CERTS, and what it holds already', async () => {
    const url = await serveTls(certificate('-subj', '/CN=localhost', '-days', '1'));
    const remedies = (await complaints(url)).match(
      /self-signed \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. Set NODE_EXTRA_CA_CERTS to a PEM/g,
    );
    expect(remedies).toHaveLength(3);
    expect(await complaints(url, { NODE_EXTRA_CA_CERTS: '/etc/company.pem' })).toContain(
      'NODE_EXTRA_CA_CERTS names /etc/company.pem, which cannot be read, or does not hold that certificate.',
    );
  });

  test('TLS spoken to a port without it, and the other way round, names the other scheme', async () => {
    const url = await serveRequests((_, response) => response.end());
    expect(await complaints(url.replace('http:', 'https:'))).toContain('Write http:// if it has no TLS');
    const secure = await serveTls(certificate('-subj', '/CN=localhost', '-days', '1'));
    expect(await complaints(secure.replace('https:', 'http:'))).toContain(
      'Write https:// if that port speaks TLS',
    );
  });

  test('a port at which nothing listens, and a name without an address', async () => {
    expect(await complaints(await nowhere())).toMatch(
      /Nothing listens at that host and port \(ECONNREFUSED\)/,
    );
    expect(await complaints('https://nobody.invalid')).toMatch(
      /has no address \(ENOTFOUND\)|name server .*EAI_AGAIN/,
    );
  });

  test('a proxy that the environment names and Node.js does not use', async () => {
    const proxies = { HTTPS_PROXY: 'http://proxy.example:3128' };
    const text = await complaints('https://nobody.invalid', proxies);
    expect(
      text.match(/HTTPS_PROXY is set, and Node\.js uses it only with NODE_USE_ENV_PROXY=1/g),
    ).toHaveLength(3);
  });

  test('a proxy in place of a server of this machine', async () => {
    const url = await serveRequests((_, response) => response.writeHead(503).end('<h1>Proxy</h1>'));
    const used = { HTTP_PROXY: 'http://proxy.example:3128', NODE_USE_ENV_PROXY: '1' };
    expect(await complaints(url, used)).toContain('Add 127.0.0.1 to NO_PROXY');
  });

  test('a proxy that asks for a password', async () => {
    const url = await serveRequests((_, response) => response.writeHead(407).end());
    expect(await complaints(url)).toContain('HTTPS_PROXY=http://name:password@host:port');
  });
});

const company = 'https://messaging.example.com/api';

describe('by code', () => {
  test.each([
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'NODE_EXTRA_CA_CERTS to a PEM file with that authority'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS to a PEM file with that authority'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'NODE_EXTRA_CA_CERTS to a PEM file with that authority'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS to a PEM file with that certificate'],
    ['CERT_HAS_EXPIRED', 'has expired (CERT_HAS_EXPIRED). Set the clock'],
    ['CERT_NOT_YET_VALID', 'not valid yet (CERT_NOT_YET_VALID). Set the clock'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'for another host'],
    ['CERT_REVOKED', 'was not accepted (CERT_REVOKED)'],
    ['EPROTO', 'Write http://'],
    ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'no version or cipher of TLS in common'],
    ['ENOTFOUND', 'Correct the host'],
    ['EAI_AGAIN', 'name server'],
    ['ECONNREFUSED', 'Start it, or correct the URL'],
    ['UND_ERR_CONNECT_TIMEOUT', 'Check the network'],
    ['EHOSTUNREACH', 'No route leads'],
    ['EACCES', 'forbids the connection'],
    ['ECONNRESET', 'cut the connection'],
    ['UND_ERR_HEADERS_TIMEOUT', 'Look at its log'],
  ])('%s: %s', (code, words) => {
    const cause = Object.assign(new Error('inner'), { code });
    const thrown = new TypeError('fetch failed', { cause });
    for (const error of [cause, thrown, new TypeError('fetch failed', { cause: { errors: [cause] } })])
      expect(explainConnection(error, { url: company, env: {} }).sentences).toContain(words);
  });

  test('the innermost code that is known says why, because those around it are consequences', () => {
    const cause = Object.assign(new Error('inner'), { code: 'CERT_HAS_EXPIRED' });
    const thrown = Object.assign(new Error('outer', { cause }), { code: 'ECONNRESET' });
    expect(explainConnection(thrown, { url: company, env: {} }).code).toBe('CERT_HAS_EXPIRED');
  });

  test.each([
    ['HTTPS_PROXY is set', company, { HTTPS_PROXY: 'p' }],
    ['https_proxy is set', company, { https_proxy: 'p', HTTPS_PROXY: 'q' }],
    ['check its address', company, { HTTPS_PROXY: 'p', NODE_USE_ENV_PROXY: '1' }],
    ['check its address', company, { HTTPS_PROXY: 'p', NODE_OPTIONS: '--use-env-proxy' }],
    ['HTTPS_PROXY is set', company, { HTTPS_PROXY: 'p', NODE_USE_ENV_PROXY: '0' }],
    ['No route', company, { HTTP_PROXY: 'p' }],
    ['No route', company, { HTTPS_PROXY: 'p', NO_PROXY: 'localhost, .example.com' }],
    ['No route', company, { HTTPS_PROXY: 'p', NO_PROXY: '*' }],
    ['HTTPS_PROXY is set', company, { HTTPS_PROXY: 'p', NO_PROXY: 'ample.com,example.com:8443' }],
    ['No route', 'http://127.0.0.1:4010', { HTTP_PROXY: 'p' }],
    ['HTTP_PROXY is set', 'http://127.evil.example', { HTTP_PROXY: 'p' }],
  ])('of a proxy it says: %s, for %s with %j', (words, url, variables: Way['env']) => {
    const { sentences } = explainConnection({ code: 'EHOSTUNREACH' }, { url, env: variables });
    expect(sentences).toContain(words);
  });

  test.each([
    ['22.20.0', true],
    ['22.21.0', false],
    ['23.11.0', true],
    ['24.0.0', false],
    ['20.20.2', true],
  ])('says of Node.js %s whether it knows proxies', (node, isTooOld) => {
    const way = { url: company, env: { HTTPS_PROXY: 'p' }, node };
    const { sentences } = explainConnection({ code: 'ENOTFOUND' }, way);
    expect(sentences.includes(`this is ${node}, which uses no proxy`)).toBe(isTooOld);
  });
});
