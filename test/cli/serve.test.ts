import { createServer } from 'node:http';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../../src/cli/program.js';
import { FakeTerminal } from './fake-terminal.js';
import { temporaryFile } from './served.js';

interface Ready {
  readonly url: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly templateId: string;
  readonly snippet: string;
}

let terminal: FakeTerminal;
beforeEach(() => {
  terminal = new FakeTerminal();
});

/** Starts `serve --json` on a free port and gives what its ready line says. */
async function serveJson(...words: string[]): Promise<Ready> {
  const own = terminal;
  const exit = run(['serve', '--port', '0', '--json', ...words], own);
  onTestFinished(async () => {
    own.stop();
    await exit;
  });
  return JSON.parse(await own.line(/"ready"/));
}

function ask(ready: Ready, path: string, body?: object): Promise<Response> {
  return fetch(`${ready.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${ready.apiKey}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

describe('serve', () => {
  it('says where it is and with which key, and stops with exit code 0 when told', async () => {
    const exit = run(['serve', '--port', '0', '--api-key', "it's mine".replace(' ', '_')], terminal);
    const ready = await terminal.line(/is ready at/);
    expect(ready).toMatch(/http:\/\/127\.0\.0\.1:\d+\/api/);
    expect(ready).toContain(`MESSAGING_AUTOMATION_API_KEY='it'\\''s_mine'`);
    expect(ready).toContain('Template to try: order_update');
    terminal.stop();
    expect(await exit).toBe(0);
    expect(terminal.output).toContain('Stopped.');
  });

  it('answers the snippet of its ready line', async () => {
    const ready = await serveJson('--api-key', 'test_key');
    expect(ready.snippet).toContain(`curl ${ready.url}/api/v1/contacts -H 'Authorization: Bearer test_key'`);
    expect((await ask(ready, '/api/v1/contacts', { phone: '+15551234567' })).status).toBe(201);
  });

  it('makes a key up where none is given, and takes one from the environment', async () => {
    expect((await serveJson()).apiKey).toMatch(/^key_[0-9a-f]{32}$/);
    terminal = new FakeTerminal({ env: { MESSAGING_AUTOMATION_API_KEY: 'from_env' } });
    expect((await serveJson()).apiKey).toBe('from_env');
  });

  it('serves counts where --metrics asks for them', async () => {
    expect((await ask(await serveJson(), '/metrics')).status).toBe(404);
    terminal = new FakeTerminal();
    const counted = await ask(await serveJson('--metrics'), '/metrics');
    expect(counted.headers.get('content-type')).toMatch(/^application\/openmetrics-text; version=1\.0\.0/);
  });

  it('limits the sends to --quota', async () => {
    const ready = await serveJson('--quota', '1');
    await ask(ready, '/api/v1/contacts', { phone: '+15551234567' });
    const send = {
      phone: '+15551234567',
      templateId: ready.templateId,
      variables: { '1': 'Ada', '2': 'A-1' },
    };
    expect((await ask(ready, '/api/v1/transactional', send)).status).toBe(200);
    expect((await ask(ready, '/api/v1/transactional', send)).status).toBe(402);
  });

  it.each([
    ['what the command was given', ['--api-key', 'given', '--quota', '7'], 'given', 7],
    ['the seed', [], 'seeded', 3],
  ])('takes key and quota from %s first', async (_, words, apiKey, quota) => {
    terminal = new FakeTerminal({ env: { MESSAGING_AUTOMATION_API_KEY: 'from_env' } });
    const seed = await temporaryFile('seed.yaml', 'apiKey: seeded\nquota: 3\n');
    const ready = await serveJson('--seed', seed, ...words);

    expect(ready.apiKey).toBe(apiKey);
    expect(await (await ask(ready, '/control/quota')).json()).toMatchObject({ quota });
  });

  it('injects the faults of the seed, and says so', async () => {
    const seed = [
      'apiKey: seeded',
      'faults:',
      '  - { operation: templates.list, nth: 1, fault: { kind: rate_limit } }',
      '  - { operation: templates.list, nth: 2, fault: { kind: reset, when: before_commit } }',
    ];
    const path = await temporaryFile('seed.yaml', seed.join('\n'));
    const exit = run(['serve', '--port', '0', '--seed', path], terminal);
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(await terminal.line(/is ready at/)) ?? [];
    const headers = { Authorization: 'Bearer seeded' };
    expect((await fetch(`${url}/api/v1/templates`, { headers })).status).toBe(429);
    await expect(fetch(`${url}/api/v1/templates`, { headers })).rejects.toThrow('fetch failed');
    expect(await terminal.line(/429/)).toMatch(/GET {4}\/api\/v1\/templates {2}\(injected: rate_limit\)$/);
    expect(await terminal.line(/---/)).toMatch(/GET {4}\/api\/v1\/templates {2}\(injected: reset\)$/);
    terminal.stop();
    expect(await exit).toBe(0);
  });

  it.each([
    ['seed.yaml', 'apiKey: seeded\ntemplates:\n  - id: hello\n    body: Hello {{1}}\n'],
    ['seed.json', '{ "apiKey": "seeded", "templates": [{ "id": "hello", "body": "Hello {{1}}" }] }'],
  ])('begins with what %s holds', async (name, content) => {
    const ready = await serveJson('--seed', await temporaryFile(name, content));
    expect(ready).toMatchObject({ apiKey: 'seeded', templateId: 'hello' });
    const templates = await (await ask(ready, '/api/v1/templates')).json();
    expect(templates).toMatchObject({ data: [{ id: 'hello', variables: ['1'] }] });
  });

  it('says what is wrong with a seed file, by field', async () => {
    const path = await temporaryFile('bad.yaml', 'quota: -1\nflavour: mint\n');
    expect(await run(['serve', '--seed', path], terminal)).toBe(2);
    expect(terminal.complaints).toContain(path);
    expect(terminal.complaints).toContain('quota must be zero or more');
    expect(terminal.complaints).toContain('flavour is not a known field');
  });

  it.each([
    ['a file that is not there', ['--seed', '/nowhere/seed.yaml'], /ENOENT/],
    ['a port that is no number', ['--port', 'x'], /whole number/],
    ['a key that fits into no header', ['--api-key', 'two words'], /apiKey must be printable ASCII/],
    ['a grace that is no time', ['--shutdown-grace', 'soon'], /must be a duration, such as 30s/],
    ['an unknown option', ['--sedd', 'x'], /unknown option '--sedd'/],
  ])('refuses %s with exit code 2', async (_, words, complaint) => {
    expect(await run(['serve', ...words], terminal)).toBe(2);
    expect(terminal.complaints).toMatch(complaint);
  });

  it('refuses a YAML file that does not parse', async () => {
    const path = await temporaryFile('broken.yaml', 'templates: [\n');
    expect(await run(['serve', '--seed', path], terminal)).toBe(2);
    expect(terminal.complaints).toContain('cannot be used');
  });

  it('says so when the port is taken', async () => {
    const { url } = await serveJson();
    const second = new FakeTerminal();
    expect(await run(['serve', '--port', new URL(url).port], second)).toBe(2);
    expect(second.complaints).toMatch(/Cannot listen on 127\.0\.0\.1.*EADDRINUSE/);
  });

  it('logs requests and deliveries as JSON, without key, secret or phone', async () => {
    const ready = await serveJson('--api-key', 'canary_key');
    const receiver = createServer((request, response) => request.resume().on('end', () => response.end()));
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void receiver.close());
    const address = receiver.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const url = `http://127.0.0.1:${port}/`;
    const created = await (
      await ask(ready, '/api/v1/webhooks', { url, events: ['message.received'] })
    ).json();
    await ask(ready, '/control/inbound-messages', { phone: '+15551234567', body: 'Hello' });
    const delivery = JSON.parse(await terminal.line(/"type":"delivery"/));
    expect(delivery).toMatchObject({
      event: 'message.received',
      attempt: 1,
      outcome: 'delivered',
      status: 200,
    });
    const logged = terminal.printed.filter((line) => !line.includes('"ready"')).join('\n');
    expect(logged).toContain('"path":"/api/v1/webhooks"');
    for (const canary of ['canary_key', created.secret, '15551234567']) expect(logged).not.toContain(canary);
  });

  it('logs in words and colours for a person', async () => {
    terminal = new FakeTerminal({ colors: true });
    const exit = run(['serve', '--port', '0', '--api-key', 'test_key'], terminal);
    const message = await terminal.line(/is ready at/);
    const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+)\/api/.exec(message) ?? [];
    const ready = { url, baseUrl: '', apiKey: 'test_key', templateId: '', snippet: '' };
    await ask(ready, '/api/v1/nothing');
    expect(await terminal.line(/GET\s+\/api\/v1\/nothing/)).toContain('\u001b[33m404\u001b[39m');
    await ask(ready, '/api/v1/webhooks', { url: 'http://127.0.0.1:1/', events: ['message.received'] });
    await ask(ready, '/control/inbound-messages', { phone: '+15551234567', body: 'Hello' });
    expect(await terminal.line(/attempt 1/)).toMatch(
      /retrying.*message\.received, attempt 1: no answer came: connect/,
    );
    terminal.stop();
    expect(await exit).toBe(0);
  });

  it('refuses a seed whose webhooks lead where it does not deliver, in words', async () => {
    const seed = await temporaryFile(
      'seed.yaml',
      'managedWebhooks: [{ url: "http://example.com", events: [message.received] }]',
    );
    expect(await run(['serve', '--port', '0', '--seed', seed], terminal)).toBe(2);
    expect(terminal.complaints).toContain('managedWebhooks[0].url must begin with https://');
  });

  it('tells of the journeys that events start', async () => {
    const seed = await temporaryFile(
      'seed.yaml',
      `
      contacts: [{ phone: "+15551234567" }]
      templates: [{ id: hello, body: "Hello {{1}}" }]
      journeys:
        - id: greet
          event: seen
          steps: [{ wait: 1ms }, { send: hello, variables: { "1": { contact: firstName } } }]
      `,
    );
    const exit = run(['serve', '--port', '0', '--api-key', 'test_key', '--seed', seed], terminal);
    const message = await terminal.line(/is ready at/);
    const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+)\/api/.exec(message) ?? [];
    const ready = { url, baseUrl: '', apiKey: 'test_key', templateId: '', snippet: '' };
    await ask(ready, '/api/v1/events', { event: 'seen', phone: '+15551234567' });
    expect(await terminal.line(/failed journey/)).toMatch(/greet: .*the contact has no property "firstName"/);
    expect(terminal.output).toContain('began journey greet');
    terminal.stop();
    expect(await exit).toBe(0);
  });
});

describe('the program', () => {
  it('has help with examples for every command', async () => {
    expect(await run(['serve', '--help'], terminal)).toBe(0);
    expect(terminal.output).toContain('Examples:');
    expect(terminal.output).toContain('$ messaging-automation serve --seed seed.yaml');
  });

  it('tells its version', async () => {
    expect(await run(['--version'], terminal)).toBe(0);
    expect(terminal.output).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('shows its help to who asks for nothing, and refuses what it does not know', async () => {
    expect(await run([], terminal)).toBe(2);
    expect(terminal.complaints).toContain('Usage: messaging-automation');
    expect(await run(['bogus'], terminal)).toBe(2);
    expect(terminal.complaints).toContain("unknown command 'bogus'");
  });
});
