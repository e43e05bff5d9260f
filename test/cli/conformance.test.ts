import { join } from 'node:path';
import type { ConformanceReport } from 'messaging-automation/conformance';
import { createReferenceServer } from 'messaging-automation/server';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MemorySubscriptions, MemoryWorkspace } from '../../src/server/store/memory/memory-store.js';
import { deploy } from '../conformance/support/deployment.js';
import { folderWith } from '../folder.js';
import { within, withResolvers } from '../waiting.js';
import { nowhere, serveRequests } from './http-servers.js';
import { runCommand, start } from './served.js';

const apiKey = 'canary_key';
const phone = '+15551234567';

/** A reference server, and the words that name it. */
async function deployment() {
  const server = createReferenceServer({
    apiKey,
    templates: [{ id: 'order_update', body: 'Hello {{1}}, your order {{2}} is on its way.' }],
  });
  onTestFinished(() => server.close());
  const { url, baseUrl } = await server.listen({ port: 0 });
  return { server, url, baseUrl, words: wordsFor(baseUrl) };
}

const wordsFor = (baseUrl: string) => ['conformance', '--url', baseUrl, '--api-key', apiKey];

/** The words for a deployment that responds to everything with one status. */
async function responding(status: number): Promise<readonly string[]> {
  const url = await serveRequests((_, response) => response.writeHead(status).end());
  return wordsFor(`${url}/api`);
}

describe('conformance', () => {
  test('says once, by the table of causes, why a deployment took no connection, also beside a baseline', async () => {
    const words = wordsFor(`${await nowhere()}/api`);
    const cause =
      '  no connection  Nothing listens at that host and port (ECONNREFUSED). Start the deployment';
    const { output } = await runCommand(words);
    expect(output).toContain('no response: the connection failed (ECONNREFUSED)');
    expect(output.split(cause)).toHaveLength(2);
    const report = await runCommand([...words, '--json']);
    const baseline = join(folderWith({ 'report.json': report.output }), 'report.json');
    expect((await runCommand([...words, '--baseline', baseline])).output.split(cause)).toHaveLength(2);
    expect((await runCommand(await responding(500))).output).not.toContain('no connection');
  });

  test('prints a table of what held, what the document leaves open and what was not checked, with exit code 3 where that is what an endpoint is for', async () => {
    const { url, baseUrl } = await deployment();
    const { exitCode, output, complaints } = await runCommand(wordsFor(url));

    expect(exitCode).toBe(3);
    expect(output.match(/not checked {2}whether .+ does what it is for/g)).toEqual([
      'not checked  whether POST /v1/transactional does what it is for',
    ]);
    expect(output).toContain(`Conformance of ${baseUrl}`);
    expect(output).toMatch(/§4 Endpoints\n {2}✓ held +POST \/v1\/contacts: 201 when created +201\n/);
    expect(output).toMatch(
      /- not checked +the workspace owns its events +it needs the key of another workspace \(--other-api-key\)\n/,
    );
    expect(output).toMatch(
      /- not checked +Signature: hexadecimal .+ +it needs a way to provoke deliveries, and a listener to receive them \(--provoke\)\n/,
    );
    expect(output).toMatch(/· left open +The response of find +200, the contact itself\n/);
    expect(output).toMatch(
      /- not checked +POST \/v1\/transactional: 200 with success true +it needs a phone and a template for one send \(--send-phone, --send-template\)\n/,
    );
    expect(output).toMatch(/\d+ held {3}0 broken {3}\d+ left open {3}\d+ not checked {3}in \d+ requests/);
    expect(complaints).toBe('');
  });

  test('names the flag for each statement that was not checked, and the option in the JSON', async () => {
    const { words } = await deployment();
    const { output: text } = await runCommand([...words, '--no-events', '--no-webhooks']);
    const unchecked = text.split('\n').filter((line) => line.startsWith('  - not checked'));
    const { output } = await runCommand([...words, '--no-events', '--no-webhooks', '--json']);
    const { checks }: ConformanceReport = JSON.parse(output);
    const options = checks.filter(({ verdict }) => verdict === 'not_checked').map(({ option }) => option);

    expect(unchecked.length).toBeGreaterThan(30);
    for (const line of unchecked)
      expect(line).toMatch(/it needs .+ \((leave out )?--[a-z-]+(, --[a-z-]+)?\)$/);
    expect(new Set(options)).toEqual(new Set(['send', 'events', 'webhooks', 'otherApiKey', 'deliveries']));
    expect(options).toHaveLength(unchecked.length);
  });

  test('shows what was expected where something is broken, with exit code 1', async () => {
    const { exitCode, output } = await runCommand(await responding(418));

    expect(exitCode).toBe(1);
    expect(output).toMatch(
      /✗ broken +GET \/v1\/contacts\/find: 404 when no contact matches +418, no body\n +expected 404\n/,
    );
  });

  test('checks sends, deliveries and their retries as its flags say, on the clock of the terminal', async () => {
    await using checked = await deploy();
    const { server, options } = checked;
    const keys = ['--api-key', options.apiKey, '--other-api-key', String(options.otherApiKey)];
    const sends = `--send-phone ${phone} --send-template order_update --variable 1=Ada --variable 2=A=1`;
    const deliveries = '--provoke control --wait 5 --retry-wait 120 --timeout 9 --no-late-response';
    const { exitCode, output } = await runCommand(
      ['conformance', '--url', options.baseUrl, ...keys, ...`${sends} ${deliveries}`.split(' ')],
      { clock: options.clock },
    );

    expect(exitCode).toBe(0);
    expect(output).toMatch(/✓ held +POST \/v1\/transactional: 200 with success true/);
    expect(output).toMatch(/✓ held +Signature: hexadecimal HMAC-SHA256 of the raw body/);
    expect(output).toMatch(/✓ held +the workspace owns its subscriptions/);
    expect(output).toMatch(/✓ held +a failed delivery is retried twice, and no more +3 attempts/);
    expect((await server.journal.sends()).map(({ text }) => text)).toEqual([
      'Hello Ada, your order A=1 is on its way.',
    ]);
  });

  test('subscribes the url of --webhook-url', async () => {
    const url = 'https://hooks.example.com/mine';
    const { server, words } = await deployment();
    using create = vi.spyOn(MemorySubscriptions.prototype, 'create');
    await runCommand([...words, '--webhook-url', url]);

    expect(create.mock.calls.map(([subscription]) => subscription.url)).toContain(url);
    expect((await server.snapshot()).subscriptions).toEqual([]);
  });

  test.each([
    ['two minutes', [], 120_000],
    ['as long as --wait says', ['--wait', '7'], 7_000],
  ])('tells a person what to write, and waits for it %s', async (_, words, wait) => {
    const { baseUrl } = await deployment();
    const delays: number[] = [];
    // Nobody writes, so each wait for a delivery ends at once, and what should have been delivered was not.
    const clock = {
      now: () => 0,
      setTimer(callback: () => void, delay: number) {
        delays.push(delay);
        const timer = delay === wait ? setImmediate(callback) : undefined;
        return () => clearImmediate(timer);
      },
    };
    const byHand = [...wordsFor(baseUrl), '--provoke', 'by-hand', ...words];
    const { exitCode, complaints } = await runCommand(byHand, { clock });

    expect(exitCode).toBe(1);
    expect(delays).toContain(wait);
    for (const text of ['Hello', 'STOP', 'START']) expect(complaints).toContain(`from a phone: ${text}\n`);
  });

  test('prints the report as JSON, of the deployment and with the key of the environment', async () => {
    const { baseUrl } = await deployment();
    const env = { MESSAGING_AUTOMATION_BASE_URL: baseUrl, MESSAGING_AUTOMATION_API_KEY: apiKey };
    const { exitCode, output } = await runCommand(['conformance', '--json'], { env });

    expect(exitCode).toBe(3);
    const check = { section: '§4', statement: 'POST /v1/contacts: 201 when created', verdict: 'held' };
    const checks = expect.arrayContaining([{ ...check, seen: '201' }]);
    expect(JSON.parse(output)).toMatchObject({
      baseUrl,
      totals: { broken: 0 },
      leftBehind: [],
      checks,
      uncheckedEndpoints: ['POST /v1/transactional'],
    });
  });

  test('shows its progress to a person and clears it, and prints neither the key nor a whole phone', async () => {
    const { words } = await deployment();
    const sends = ['--send-phone', phone, '--send-template', 'unknown'];
    const { output, complaints } = await runCommand([...words, ...sends], { colors: true, screen: true });

    expect(complaints).toContain('§4 POST /v1/contacts: 201 when created');
    expect(complaints.endsWith('\r\u001b[2K')).toBe(true);
    expect(output).toContain('\u001b[32m✓ held');
    for (const canary of [apiKey, phone.slice(1), 'whsec_a']) expect(output).not.toContain(canary);
  });

  test('removes what it made when it is stopped, and says so', async () => {
    const { server, words } = await deployment();
    const { terminal, stop } = start(words, { colors: true, screen: true });
    await terminal.complaint(/POST \/v1\/contacts: 201/);

    expect(await stop()).toBe(130);
    expect(terminal.complaints).toContain('Stopped. The check removed what it created');
    const { contacts, subscriptions } = await server.snapshot();
    expect([contacts, subscriptions]).toEqual([[], []]);
  });

  test('stops while the server holds the message that provokes deliveries', async () => {
    const { server, words } = await deployment();
    const asked = withResolvers<void>();
    using _ = vi.spyOn(MemoryWorkspace.prototype, 'receiveMessage').mockImplementation(() => {
      asked.resolve();
      return new Promise(() => {});
    });
    const { stop } = start([...words, '--provoke', 'control']);
    await within('the message that provokes', asked.promise);

    expect(await stop()).toBe(130);
    expect((await server.snapshot()).subscriptions).toEqual([]);
  });

  test('says that the port to receive on is taken', async () => {
    const { words, url } = await deployment();

    expect(await runCommand([...words, '--provoke', 'control', '--port', new URL(url).port])).toMatchObject({
      exitCode: 2,
      complaints: expect.stringContaining('EADDRINUSE'),
    });
  });
});
