import { describe, expect, test } from 'vitest';
import type { TerminalOptions } from './fake-terminal.js';
import { serveRequests } from './http-servers.js';
import { askAt, runCommand, serve, start, startServe, temporaryFile } from './served.js';

const phone = '+15551234567';

/** Starts `serve` as a person does, without --json. */
async function serveInWords(words: readonly string[], options: TerminalOptions = {}) {
  const command = start(['serve', '--port', '0', '--api-key', 'test_key', ...words], options);
  const message = await command.terminal.line(/is ready at/);
  const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+)\/api/.exec(message) ?? [];
  return { ...command, message, ask: askAt(url) };
}

/** What `serve` says of words that it refuses. */
async function refusal(...words: readonly string[]): Promise<string> {
  const { exitCode, complaints } = await runCommand(['serve', '--port', '0', ...words]);
  expect(exitCode).toBe(2);
  return complaints;
}

describe('serve', () => {
  test('says where it is and with which key, and stops with exit code 0 when told', async () => {
    const words = ['serve', '--port', '0', '--api-key', "it's_mine"];
    const { terminal, stop } = start(words);
    const ready = await terminal.line(/is ready at/);
    expect(ready).toMatch(/http:\/\/127\.0\.0\.1:\d+\/api/);
    expect(ready).toContain(`MESSAGING_AUTOMATION_API_KEY='it'\\''s_mine'`);
    expect(ready).toContain('Template to try: order_update');
    expect(await stop()).toBe(0);
    expect(terminal.output).toContain('Stopped.');
  });

  test('generates a key where none is given, and takes one from the environment', async () => {
    expect((await startServe([])).apiKey).toMatch(/^key_[0-9a-f]{32}$/);
    const env = { MESSAGING_AUTOMATION_API_KEY: 'from_env' };
    expect((await startServe([], { env })).apiKey).toBe('from_env');
  });

  test('serves metrics only with --metrics', async () => {
    expect((await (await serve('--no-ui')).ask('/metrics')).status).toBe(404);
    const { headers } = await (await serve('--no-ui', '--metrics')).ask('/metrics');
    expect(headers.get('content-type')).toMatch(/^application\/openmetrics-text; version=1\.0\.0/);
  });

  test.each([
    ['what the command was given', ['--api-key', 'given', '--quota', '7'], 'given', 7],
    ['the seed', [], 'seeded', 3],
  ])('takes key and quota from %s first', async (_, words, apiKey, quota) => {
    const seed = await temporaryFile('seed.yaml', 'apiKey: seeded\nquota: 3\n');
    const env = { MESSAGING_AUTOMATION_API_KEY: 'from_env' };
    const served = await startServe(['--seed', seed, ...words], { env });

    expect(served.apiKey).toBe(apiKey);
    expect(await (await served.ask('/control/quota')).json()).toMatchObject({ quota });
  });

  test('injects the faults of the seed, and says so', async () => {
    const seed = [
      'faults:',
      '  - { operation: templates.list, nth: 1, fault: { kind: rate_limit } }',
      '  - { operation: templates.list, nth: 2, fault: { kind: reset, when: before_commit } }',
    ];
    const path = await temporaryFile('seed.yaml', seed.join('\n'));
    const { ask, terminal } = await serveInWords(['--seed', path]);
    expect((await ask('/api/v1/templates')).status).toBe(429);
    await expect(ask('/api/v1/templates')).rejects.toThrow('fetch failed');
    expect(await terminal.line(/\b429\b/)).toMatch(
      /GET {4}\/api\/v1\/templates {2}\(injected: rate_limit\)$/,
    );
    expect(await terminal.line(/---/)).toMatch(/GET {4}\/api\/v1\/templates {2}\(injected: reset\)$/);
  });

  test.each([
    [
      'seed.yaml',
      'apiKey: seeded\ntemplates: [{ id: no, body: A, status: rejected }, { id: hello, body: B }]',
    ],
    [
      'seed.json',
      '{ "apiKey": "seeded", "templates": [{ "id": "hello", "body": "B" }, { "id": "c", "body": "C" }] }',
    ],
  ])('starts with the content of %s, and suggests the first approved template', async (name, content) => {
    const { ready, ask } = await startServe(['--seed', await temporaryFile(name, content)]);
    expect(ready).toMatchObject({ apiKey: 'seeded', templateId: 'hello' });
    const templates = await (await ask('/api/v1/templates')).json();
    expect(templates.data).toHaveLength(2);
  });

  test('names the file and each field of a seed that is not valid', async () => {
    const path = await temporaryFile('bad.yaml', 'quota: -1\nflavour: mint\n');
    const complaints = await refusal('--seed', path);
    for (const text of [path, 'quota must be zero or more', 'flavour is not a known field'])
      expect(complaints).toContain(text);
  });

  test.each([
    ['does not parse', 'templates: [\n', 'cannot be used'],
    [
      'has a webhook at an address that it does not deliver to',
      'managedWebhooks: [{ url: "http://example.com", events: [message.received] }]',
      'managedWebhooks[0].url must begin with https://',
    ],
  ])('refuses a seed that %s', async (_, content, complaint) => {
    expect(await refusal('--seed', await temporaryFile('seed.yaml', content))).toContain(complaint);
  });

  test('says that the port is taken', async () => {
    const { url } = await serve();
    const { port } = new URL(url);
    expect(await refusal('--port', port)).toMatch(
      new RegExp(`Cannot listen on 127\\.0\\.0\\.1: .* port ${port} \\(EADDRINUSE\\)\\. .* with --port`),
    );
  });

  test('logs requests and deliveries as JSON, without key, secret or phone', async () => {
    const { ask, terminal } = await startServe(['--api-key', 'canary_key']);
    const url = await serveRequests((request, response) => request.resume().on('end', () => response.end()));
    const hook = { url: `${url}/`, events: ['message.received'] };
    const { secret } = await (await ask('/api/v1/webhooks', hook)).json();
    await ask('/control/inbound-messages', { phone, body: 'Hello' });
    expect(JSON.parse(await terminal.line(/"type":"delivery"/))).toMatchObject({
      event: 'message.received',
      attempt: 1,
      outcome: 'delivered',
      status: 200,
    });
    const logged = terminal.printed.filter((line) => !line.includes('"ready"')).join('\n');
    expect(logged).toContain('"path":"/api/v1/webhooks"');
    for (const canary of ['canary_key', secret, '15551234567']) expect(logged).not.toContain(canary);
  });

  test('logs in words and colours for a person', async () => {
    const { ask, terminal } = await serveInWords(['--no-ui'], { colors: true });
    await ask('/api/v1/nothing');
    expect(await terminal.line(/GET\s+\/api\/v1\/nothing/)).toContain('\u001b[33m404\u001b[39m');
    await ask('/api/v1/webhooks', { url: 'http://127.0.0.1:1/', events: ['message.received'] });
    await ask('/control/inbound-messages', { phone, body: 'Hello' });
    expect(await terminal.line(/attempt 1/)).toMatch(
      /retrying.*message\.received, attempt 1: no response: connect/,
    );
  });

  test('prints a link that opens the page once, and another one after its use', async () => {
    const { terminal, message } = await serveInWords(['--api-key', 'test+key']);
    const linkIn = (text = '') =>
      /(http:\/\/127\.0\.0\.1:\d+)\/#code=([0-9a-f]{32})\b/.exec(text)?.slice(1) ?? [];
    const [url = '', first = ''] = linkIn(message);
    const exchange = (body: string) => fetch(`${url}/workbench/key`, { method: 'POST', body });
    const response = await exchange(first);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({ apiKey: 'test+key' });
    const [, second = ''] = linkIn(await terminal.line(/To open it again/));
    for (const wrong of [first, '', second.slice(1), `${second} `, 'x'.repeat(201)])
      expect((await exchange(wrong)).ok).toBe(false);
    expect((await exchange(second)).status).toBe(200);
    await expect.poll(() => terminal.output.match(/To open it again/g)).toHaveLength(2);
    expect(terminal.output).not.toMatch(/http\S*test.key/);
  });

  test('prints the next link as JSON, too', async () => {
    const { ready, url, terminal } = await startServe(['--api-key', 'test+key']);
    const [, body = ''] = String(ready.page).split('#code=');
    await fetch(`${url}/workbench/key`, { method: 'POST', body });
    const line = await terminal.line(/"type":"page"/);
    expect(JSON.parse(line)).toEqual({ type: 'page', page: expect.stringMatching(/\/#code=[0-9a-f]{32}$/) });
    expect(line).not.toContain(body);
  });

  test('forgets the oldest of many codes, and makes none without a key', async () => {
    const { ready, url, ask } = await startServe([]);
    const [, oldest = ''] = String(ready.page).split('#code=');
    for (let made = 0; made < 100; made += 1) await ask('/workbench/codes', {});
    expect((await fetch(`${url}/workbench/key`, { method: 'POST', body: oldest })).status).toBe(401);
    expect((await fetch(`${url}/workbench/codes`, { method: 'POST' })).status).toBe(401);
  });

  test('leaves the page out with --no-ui', async () => {
    const { ready, url } = await serve('--no-ui');
    expect(ready.page).toBeUndefined();
    expect((await fetch(url)).status).toBe(404);
    expect((await serveInWords(['--no-ui'])).message).not.toContain('#code=');
  });
});

test('the program prints its version', async () => {
  const { exitCode, output } = await runCommand(['--version']);
  expect(exitCode).toBe(0);
  expect(output).toMatch(/^\d+\.\d+\.\d+$/);
});
