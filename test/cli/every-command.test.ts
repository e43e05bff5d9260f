import type { RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/cli/program.js';
// The commands load these when they run. Here no command waits for a file.
import '../../src/mcp/index.js';
import '../../src/postgres/index.js';
import { nowhere, serveRequests } from './http-servers.js';
import { runCommand, start, temporaryFile } from './served.js';

// What is true of each command. The commands are those of the program, so that a new one fails here until it has its words below.

/** A text that would colour, clear, forge a line, and reverse what follows. */
const hostile = '\u001b[35m\u009b2J\r\n✓ fake \u202e\u200b';

const env = { MESSAGING_AUTOMATION_API_KEY: 'test_key', WEBHOOK_SECRET: 'whsec_test' };
const at = 1;
const url = `https://a.example/${hostile}`;
const delivery = { id: hostile, url, event: hostile, status: 'failed', createdAt: at, body: hostile };
const journal = [
  { type: 'request', at, status: 400, method: hostile, path: hostile, responseBody: hostile, faults: [] },
  { type: 'fault', at, fault: { kind: hostile }, operation: hostile, requestId: hostile },
  { type: 'send', at, send: { templateId: hostile, phone: hostile, text: hostile } },
  { type: 'event', at, phone: hostile, event: { event: hostile, contactId: hostile } },
  { type: 'message', at, phone: hostile, consent: hostile, body: hostile },
  { type: 'attempt', at, delivery, attempt: { number: 1, error: hostile, faults: [{ kind: hostile }] } },
  { type: 'journey', at, run: { journeyId: hostile, contactId: hostile, status: hostile, error: hostile } },
  { type: hostile, at, note: hostile },
];
const subscription = { id: hostile, url, events: [hostile], enabled: false, createdAt: at };
const refusal = { error: { code: hostile, message: hostile } };

/** The responses of a service that has nothing but hostile texts, by their paths. */
const responses: readonly (readonly [path: RegExp, status: number, body: unknown])[] = [
  [/^\/control$/, 200, { operations: [] }],
  [/^\/control\/clock/, 200, { now: at, time: hostile }],
  [/^\/control\/quota/, 200, { quota: hostile, addOnCredits: hostile }],
  [/^\/control\/templates/, 200, { data: [{ id: hostile, status: hostile, body: hostile }] }],
  [
    /^\/control\/faults/,
    200,
    { data: [{ id: hostile, rule: { operation: hostile, fault: { kind: hostile, [hostile]: hostile } } }] },
  ],
  [/^\/control\/journal/, 200, { data: journal, forgotten: 0, more: false }],
  [/explanation$/, 200, { deliveryId: hostile, status: hostile, causes: [causeOf(hostile)] }],
  [/redeliver$/, 200, delivery],
  [/^\/control\/deliveries/, 200, { data: [delivery], more: false }],
  [/^\/control\/inbound-messages$/, 200, { contactId: hostile, messageId: hostile, consent: hostile }],
  [/^\/api\/v1\/templates/, 200, [{ id: hostile, body: hostile, variables: [hostile] }]],
  [/^\/api\/v1\/webhooks/, 200, [subscription]],
  [/./, 400, refusal],
];

function causeOf(text: string) {
  return { cause: text, certainty: text, explanation: text, advice: text };
}

const hostileService: RequestListener = ({ url: path = '' }, response) => {
  const [, status = 500, body] = responses.find(([pattern]) => pattern.test(path)) ?? [];
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
};

const csv = () =>
  temporaryFile(
    'contacts.csv',
    `phone,${JSON.stringify(`a${hostile}`)}\n+15551234567,"${hostile}"\n${hostile},x\n`,
  );

/** The words of each command, with the URL of the hostile service and something hostile of their own. */
const words: Readonly<Record<string, (url: string) => Promise<readonly string[]> | readonly string[]>> = {
  serve: async () => [
    'serve',
    '--port',
    '0',
    '--seed',
    await temporaryFile('seed.yaml', `"${JSON.stringify(hostile).slice(1, -1)}": 1`),
  ],
  migrate: () => ['migrate', '--store', `postgres://127.0.0.1:1/${hostile}`, '--wait-for-store', '0s'],
  logs: (url) => ['logs', '--url', url],
  listen: (url) => ['listen', '--forward-to', 'http://127.0.0.1:1/', '--url', url],
  clock: (url) => ['clock', 'next', '--url', url],
  quota: (url) => ['quota', '--url', url],
  template: (url) => ['template', '--url', url],
  fault: (url) => ['fault', '--url', url],
  redeliver: (url) => ['redeliver', '--failed', '--yes', '--url', url],
  explain: (url) => ['explain', hostile, '--url', url],
  trigger: (url) => ['trigger', 'message', '--phone', '+15551234567', '--body', hostile, '--url', url],
  diagnose: async () => ['diagnose', '--body', await temporaryFile('body', hostile), '--signature', hostile],
  doctor: (url) => ['doctor', '--url', url, '--receiver', `${url}/hooks`],
  track: (url) => [
    'track',
    hostile,
    '--phone',
    '+15551234567',
    '--property',
    `${hostile}=${hostile}`,
    '--url',
    url,
  ],
  send: (url) => ['send', '--to', '+15551234567', '--template', hostile, '--url', url],
  webhooks: (url) => ['webhooks', 'list', '--url', url],
  templates: async (url) => [
    'templates',
    'pull',
    '--out',
    await temporaryFile('templates.ts', hostile),
    '--url',
    url,
  ],
  upsert: (url) => [
    'contacts',
    'upsert',
    '+15551234567',
    '--property',
    `${hostile}=${hostile}`,
    '--url',
    url,
  ],
  import: async (url) => ['contacts', 'import', await csv(), '--url', url],
  unsettled: () => ['unsettled', '--store', 'redis://127.0.0.1:1', '--prefix', hostile],
  settle: () => ['settle', hostile, 'sent', '--store', 'redis://127.0.0.1:1', '--prefix', hostile],
  conformance: (url) => [
    'conformance',
    '--url',
    url,
    '--api-key',
    'test_key',
    '--no-events',
    '--no-webhooks',
  ],
  mcp: () => ['mcp', '--url', `http://a.example/${hostile}`],
};

const names = commands.map(({ define }) => define().name());
const withJson = commands
  .map(({ define }) => define())
  .filter(({ options }) => options.some(({ long }) => long === '--json'))
  .map((command) => command.name());

/** What a terminal takes for an order; our own styles are left out. */
const orders = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const escapeCharacter = '\u001b';
const ourStyles = new RegExp(`${escapeCharacter}\\[(?:1|2|22|31|32|33|36|39)m`, 'g');

test('each command of the program has its words here', () => {
  expect(Object.keys(words).toSorted()).toEqual(names.toSorted());
});

describe.each(names)('%s', (name) => {
  test.each([
    ['in words', [], true],
    ...(withJson.includes(name) ? [['as JSON', ['--json'], false] as const] : []),
  ] as const)('gives a terminal no order from outside, %s', async (_, flags, colors) => {
    const service = await serveRequests(hostileService);
    const all = [...((await words[name]?.(service)) ?? []), ...flags];
    const { output, complaints } = await runCommand(all, { env, colors });
    const printed = `${output}\n${complaints}`.replaceAll(ourStyles, '');
    expect(printed).not.toMatch(orders);
    expect(printed.split('\n').filter((line) => line.trim().startsWith('✓ fake'))).toEqual([]);
    expect(output + complaints).not.toBe('');
  });
});

describe.each(withJson)('%s --json', (name) => {
  const failure = { error: expect.stringMatching(/./), exitCode: expect.any(Number) };

  test('prints a command line that is wrong as the failure that each command prints', async () => {
    const all = [...((await words[name]?.(await nowhere())) ?? []), '--json', '--no-such-option'];
    const { exitCode, lines } = await runCommand(all, { env });
    expect(exitCode).toBe(2);
    expect(lines.map((line) => JSON.parse(line))).toEqual([{ ...failure, exitCode: 2 }]);
  });

  test('prints JSON, and whatever does not succeed is in it', async () => {
    const all = [...((await words[name]?.(await nowhere())) ?? []), '--json'];
    const { exitCode, lines } = await runCommand(all, { env });
    expect(exitCode).not.toBe(0);
    expect(lines).not.toEqual([]);
    for (const line of lines) expect(JSON.parse(line)).toEqual(expect.any(Object));
    // These three have results of their own that say what is wrong.
    if (!['doctor', 'diagnose', 'conformance', 'import'].includes(name))
      expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ ...failure, exitCode });
  });
});

test('serve gives a terminal no order from the names of templates, events and journeys', async () => {
  const seed = {
    templates: [{ id: hostile, body: 'Hello' }],
    contacts: [{ phone: '+15551234567' }],
    journeys: [{ id: hostile, event: hostile, steps: [{ send: hostile }] }],
  };
  const file = await temporaryFile('seed.json', JSON.stringify(seed));
  const { terminal } = start(['serve', '--port', '0', '--api-key', 'test_key', '--seed', file]);
  const ready = await terminal.line(/is ready at/);
  const [, base = ''] = /(http:\/\/127\.0\.0\.1:\d+\/api)/.exec(ready) ?? [];
  const post = (path: string, body: object) =>
    fetch(`${base}${path}`, {
      method: 'POST',
      headers: { Authorization: 'Bearer test_key', 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  await post('/v1/transactional', { phone: '+15551234567', templateId: hostile });
  await post('/v1/events', { phone: '+15551234567', event: hostile });
  await terminal.line(/finished journey .*fake/);
  expect(terminal.output).toContain('\\u001b[35m');
  expect(terminal.output).not.toMatch(orders);
  expect(terminal.output.split('\n').filter((line) => line.startsWith('✓ fake'))).toEqual([]);
});
