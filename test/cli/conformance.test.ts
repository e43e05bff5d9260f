import { createServer } from 'node:http';
import type { ConformanceReport } from 'messaging-automation/conformance';
import { createReferenceServer, type ReferenceServerOptions } from 'messaging-automation/server';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { run } from '../../src/cli/program.js';
import { MemorySubscriptions } from '../../src/server/store/memory/memory-subscriptions.js';
import { FakeTerminal } from './fake-terminal.js';

const apiKey = 'canary_key';
const phone = '+15551234567';

let terminal: FakeTerminal;
beforeEach(() => {
  terminal = new FakeTerminal();
});

/** A reference server, and the words that name it. */
async function deployment(options: ReferenceServerOptions = {}) {
  const server = createReferenceServer({
    ...options,
    apiKey,
    templates: [{ id: 'order_update', body: 'Hello {{1}}, your order {{2}} is on its way.' }],
  });
  onTestFinished(() => server.close());
  const { url, baseUrl } = await server.listen({ port: 0 });
  return { server, url, baseUrl, words: ['conformance', '--base-url', baseUrl, '--api-key', apiKey] };
}

/** A deployment that answers everything with one status, but perhaps its first answer. */
async function answering(status: number, { first = status } = {}): Promise<readonly string[]> {
  let next = first;
  const server = createServer((_, response) => {
    response.writeHead(next, { 'Retry-After': '0' }).end();
    next = status;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return ['conformance', '--base-url', `http://127.0.0.1:${port}/api`, '--api-key', apiKey];
}

describe('conformance', () => {
  it('prints a table of what held, what is not shown and what was not checked, with exit code 0', async () => {
    const { words, baseUrl } = await deployment();

    expect(await run(words, terminal)).toBe(0);
    expect(terminal.output).toContain(`Conformance of ${baseUrl}`);
    expect(terminal.output).toMatch(/§4 Endpoints\n {2}✓ held +POST \/v1\/contacts: 201 when created +201\n/);
    expect(terminal.output).toMatch(
      /- not checked +the workspace owns its events +it needs the key of another workspace \(--other-api-key\)\n/,
    );
    expect(terminal.output).toMatch(
      /- not checked +Signature: hexadecimal .+ +it needs a way to provoke deliveries, and a listener to receive them \(--provoke\)\n/,
    );
    expect(terminal.output).toMatch(/· not shown +The response of find +200, the contact itself\n/);
    expect(terminal.output).toMatch(
      /- not checked +POST \/v1\/transactional: 200 with success true +it needs a phone and a template for one send \(--send-phone, --send-template\)\n/,
    );
    expect(terminal.output).toMatch(
      /\d+ held {3}0 broken {3}\d+ not shown {3}\d+ not checked {3}in \d+ requests/,
    );
    expect(terminal.complaints).toBe('');
  });

  it('names the flag for each statement that was not checked, and the option in the JSON', async () => {
    const { words } = await deployment();
    await run([...words, '--no-events', '--no-webhooks'], terminal);
    const unchecked = terminal.output.split('\n').filter((line) => line.startsWith('  - not checked'));
    terminal = new FakeTerminal();
    await run([...words, '--no-events', '--no-webhooks', '--json'], terminal);
    const { checks }: ConformanceReport = JSON.parse(terminal.output);
    const options = checks.filter(({ verdict }) => verdict === 'not_checked').map(({ option }) => option);

    expect(unchecked.length).toBeGreaterThan(30);
    for (const line of unchecked)
      expect(line).toMatch(/it needs .+ \((leave out )?--[a-z-]+(, --[a-z-]+)?\)$/);
    expect(new Set(options)).toEqual(new Set(['send', 'events', 'webhooks', 'otherApiKey', 'deliveries']));
    expect(options).toHaveLength(unchecked.length);
  });

  it('tells how long it waited because of 429', async () => {
    await run(await answering(418, { first: 429 }), terminal);

    expect(terminal.output).toContain(' requests\n  answers with 429: 1, for which the check waited 0.1 s\n');
  });

  it('takes the deployment and the key from the environment', async () => {
    const { baseUrl } = await deployment();
    terminal = new FakeTerminal({
      env: { MESSAGING_AUTOMATION_BASE_URL: baseUrl, MESSAGING_AUTOMATION_API_KEY: apiKey },
    });

    expect(await run(['conformance'], terminal)).toBe(0);
  });

  it('shows what was expected where something is broken, with exit code 1', async () => {
    expect(await run(await answering(418), terminal)).toBe(1);
    expect(terminal.output).toMatch(
      /✗ broken +GET \/v1\/contacts\/find: 404 when no contact matches +418, no body\n +expected 404\n/,
    );
  });

  it('checks sends and deliveries when told how', async () => {
    const { server, words } = await deployment();
    const code = await run(
      [
        ...words,
        ...[
          '--send-phone',
          phone,
          '--send-template',
          'order_update',
          '--variable',
          '1=Ada',
          '--variable',
          '2=A=1',
        ],
        ...[
          '--other-api-key',
          server.workspace().apiKey,
          '--provoke',
          'control',
          '--wait',
          '20',
          '--timeout',
          '20',
        ],
      ],
      terminal,
    );

    expect(code).toBe(0);
    expect(terminal.output).toMatch(/✓ held +POST \/v1\/transactional: 200 with success true/);
    expect(terminal.output).toMatch(/✓ held +Signature: hexadecimal HMAC-SHA256 of the raw body/);
    expect(terminal.output).toMatch(/✓ held +the workspace owns its subscriptions/);
    expect((await server.journal.sends()).map(({ text }) => text)).toEqual([
      'Hello Ada, your order A=1 is on its way.',
    ]);
  });

  it('subscribes the url of --webhook-url', async () => {
    const url = 'https://hooks.example.com/mine';
    const { server, words } = await deployment();
    using create = vi.spyOn(MemorySubscriptions.prototype, 'create');
    await run([...words, '--webhook-url', url], terminal);

    expect(create.mock.calls.map(([subscription]) => subscription.url)).toContain(url);
    expect((await server.snapshot()).subscriptions).toEqual([]);
  });

  it('waits for the retries of a delivery as long as --retry-wait says', async () => {
    const { words } = await deployment({ specGaps: { retryBackoff: [1, 1] } });
    await run([...words, '--provoke', 'control', '--wait', '20', '--retry-wait', '20'], terminal);

    expect(terminal.output).toMatch(/✓ held +a failed delivery is retried twice, and no more +3 attempts/);
  });

  it('gives each request as long as --timeout says', async () => {
    const { words } = await deployment();

    expect(await run([...words, '--timeout', '0'], terminal)).toBe(2);
    expect(terminal.complaints).toContain('timeout must be');
  });

  it('tells a person what to write, when deliveries are provoked by hand', async () => {
    const { words } = await deployment();
    const code = await run([...words, '--provoke', 'by-hand', '--wait', '0'], terminal);

    // Nobody does, so what should have been delivered was not.
    expect(code).toBe(1);
    for (const text of ['Hello', 'STOP', 'START'])
      expect(terminal.complaints).toContain(`from a phone: ${text}\n`);
  });

  it('says so when a deployment has no control route', async () => {
    const { words, baseUrl } = await deployment();
    const elsewhere = words.map((word) => (word === baseUrl ? `${baseUrl}/` : word));
    expect(await run([...elsewhere, '--provoke', 'control', '--wait', '20', '--json'], terminal)).toBe(0);

    const proxied = createServer(async (request, response) => {
      if (!request.url?.startsWith('/api/')) return void response.writeHead(404).end();
      const answer = await fetch(`${baseUrl}${request.url.slice('/api'.length)}`, {
        method: request.method ?? 'GET',
        headers: { authorization: String(request.headers.authorization), 'content-type': 'application/json' },
        ...(request.method === 'POST' || request.method === 'PUT'
          ? { body: Buffer.concat(await request.toArray()) }
          : {}),
      });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    });
    await new Promise<void>((resolve) => proxied.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void proxied.close());
    const address = proxied.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await run(
      [
        'conformance',
        '--base-url',
        `http://127.0.0.1:${port}/api`,
        '--api-key',
        apiKey,
        '--provoke',
        'control',
      ],
      terminal,
    );

    expect(terminal.output).toContain('the control surface of the reference server answered 404');
  });

  it('prints the report as JSON', async () => {
    const { words, baseUrl } = await deployment();

    expect(await run([...words, '--json'], terminal)).toBe(0);
    expect(JSON.parse(terminal.output)).toMatchObject({
      baseUrl,
      totals: { broken: 0 },
      leftBehind: [],
      checks: expect.arrayContaining([
        { section: '§4', statement: 'POST /v1/contacts: 201 when created', verdict: 'held', seen: '201' },
      ]),
    });
  });

  it('shows its progress to a person, and clears it away', async () => {
    terminal = new FakeTerminal({ colors: true, screen: true });
    const { words } = await deployment();
    await run(words, terminal);

    expect(terminal.complaints).toContain('§4 POST /v1/contacts: 201 when created');
    expect(terminal.complaints.endsWith('\r\u001b[2K')).toBe(true);
    expect(terminal.output).toContain('\u001b[32m✓ held');
  });

  it('prints neither the key nor a whole phone', async () => {
    const { words } = await deployment();
    await run([...words, '--send-phone', phone, '--send-template', 'unknown'], terminal);

    for (const canary of [apiKey, phone.slice(1), 'whsec_a']) expect(terminal.output).not.toContain(canary);
  });

  it('removes what it made when it is stopped, and says so', async () => {
    const { server, words } = await deployment();
    terminal = new FakeTerminal({ colors: true, screen: true });
    terminal.complain = (text) => {
      terminal.complaints += text;
      if (text.includes('POST /v1/contacts: 201')) terminal.stop();
    };

    expect(await run(words, terminal)).toBe(130);
    expect(terminal.complaints).toContain('Stopped. The check removed what it created');
    const { contacts, subscriptions } = await server.snapshot();
    expect([contacts, subscriptions]).toEqual([[], []]);
  });

  it.each([
    [[], 'The base URL is missing. Pass --base-url'],
    [['--base-url', 'http://127.0.0.1:1/api'], 'The API key is missing. Pass --api-key'],
    [['--base-url', 'nowhere', '--api-key', 'canary_key'], 'baseUrl must be'],
    [['--send-phone', phone], 'pass both --send-phone and --send-template'],
    [['--variable', '1=Ada'], 'pass both --send-phone and --send-template'],
    [['--variable', 'Ada'], 'Write it as 1=Ada'],
    [['--receive', 'https://tunnel.example.com'], 'pass --provoke control'],
    [['--provoke', 'shouting'], 'Allowed choices are control, by-hand'],
    [['--timeout', 'long'], 'It must be a whole number'],
  ])('refuses %j with exit code 2, and says what is missing', async (words, message) => {
    const whole =
      words.length === 0 || words.includes('--base-url')
        ? words
        : ['--base-url', 'http://127.0.0.1:1/api', '--api-key', 'canary_key', ...words];

    expect(await run(['conformance', ...whole], terminal)).toBe(2);
    expect(terminal.complaints).toContain(message);
    expect(terminal.complaints).not.toContain('canary_key');
  });

  it('says so when the port to receive on is taken', async () => {
    const { words, url } = await deployment();

    expect(await run([...words, '--provoke', 'control', '--port', new URL(url).port], terminal)).toBe(2);
    expect(terminal.complaints).toContain('EADDRINUSE');
  });

  it('has help with examples and exit codes', async () => {
    expect(await run(['conformance', '--help'], terminal)).toBe(0);
    expect(terminal.output).toContain('$ messaging-automation conformance --base-url');
    expect(terminal.output).toContain('Exit codes:');
  });
});
