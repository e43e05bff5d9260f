import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFile } from '../cli/served.js';
import { findPostgres } from '../run/postgres-programs.js';
import { type PostgresServer, startPostgres } from '../run/postgres-server.js';
import { hang, reply, startReceiver } from '../server/support/receiver.js';
import {
  type CommandRun,
  killAll,
  missingTerminal,
  runInTerminal,
  runOffTerminal,
  type Start,
} from './command-run.js';

const phone = '+15551234567';

/** What the commands have to do with: a server with a delivery that failed, and a PostgreSQL, where there is one. */
const running = { url: '', deliveryId: '', database: '' };
type Running = typeof running;
let server: CommandRun | undefined;
const postgres = await findPostgres();
let database: PostgresServer | undefined;

beforeAll(async () => {
  if ('programs' in postgres) database = await startPostgres(postgres);
  else process.emitWarning(`NOT RUN: the commands over PostgreSQL, because ${postgres.missing}.`);
  running.database = database?.url ?? '';
  server = runOffTerminal(['serve', '--port', '0', '--api-key', 'test_key', '--json']);
  await server.printed(/\n/);
  running.url = JSON.parse(server.output.split('\n')[0] ?? '').url;
  const headers = { Authorization: 'Bearer test_key', 'Content-Type': 'application/json' };
  const ask = (path: string, body: object) =>
    fetch(running.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  // Nothing listens there: each attempt fails at once.
  await ask('/api/v1/webhooks', { url: 'http://127.0.0.1:9/hooks', events: ['message.received'] });
  await ask('/control/inbound-messages', { phone, body: 'Hello' });
  await server.printed(/"delivery_\w+"/);
  running.deliveryId = /"(delivery_\w+)"/.exec(server.output)?.[1] ?? '';
});

afterAll(async () => {
  server?.interrupt();
  expect(await server?.ended).toBe(0);
  killAll();
  await database?.stop();
});

const escapeByte = '\u001b';
const colour = new RegExp(`${escapeByte}\\[[\\d;]*m`);
/** What takes a line back that is written over. */
const erasure = `\r${escapeByte}[2K`;

/** What is left on the screen: without colours, and without the lines that were written over. */
function plain(output: string): string {
  return output
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf(erasure) + 1).replace(`${escapeByte}[2K`, ''))
    .join('\n')
    .replaceAll(new RegExp(colour, 'g'), '')
    .replaceAll('\r', '');
}

const rows = (count: number) =>
  temporaryFile(
    'contacts.csv',
    `phone\n${Array.from({ length: count }, (_, row) => `+1555${1_000_000 + row}`).join('\n')}\n`,
  );

interface Command {
  readonly words: (running: Running) => readonly string[] | Promise<readonly string[]>;
  readonly exitCode?: number;
  readonly prints: RegExp;
  /** What it prints after Ctrl-C. */
  readonly after?: RegExp;
  /** Whether a person sees something of it in colour. */
  readonly coloured?: boolean;
}

/** The words of a command that calls the server. */
const at =
  (...words: readonly string[]): Command['words'] =>
  ({ url }) => [...words, '--url', url];

/** The commands that end by themselves. */
const commands: Readonly<Record<string, Command>> = {
  logs: { words: at('logs'), prints: /201 +POST \/api\/v1\/webhooks/, coloured: true },
  clock: { words: at('clock'), prints: /^\d{4}-\d\d-\d\dT[\d:.]+Z/ },
  redeliver: {
    words: ({ url, deliveryId }) => ['redeliver', deliveryId, '--url', url],
    prints: /delivery_/,
  },
  explain: {
    words: ({ url, deliveryId }) => ['explain', deliveryId, '--url', url],
    prints: /unreachable \(certain\)/,
    coloured: true,
  },
  'trigger at a server': {
    words: at('trigger', 'opted-in', '--phone', phone),
    prints: /wrote a message \(message_/,
  },
  'trigger at a receiver': {
    words: async () => {
      const receiver = await startReceiver(reply(204));
      return ['trigger', 'message', '--to', receiver.url, '--secret', 'whsec_example'];
    },
    prints: /204/,
    coloured: true,
  },
  diagnose: {
    words: async () => {
      const body = await temporaryFile('body', '{}');
      return ['diagnose', '--body', body, '--signature', 'none', '--secret', 'whsec_example'];
    },
    exitCode: 1,
    prints: /not valid/,
    coloured: true,
  },
  doctor: { words: at('doctor'), prints: /^✓ base URL/, coloured: true },
  'webhooks list': { words: at('webhooks', 'list'), prints: /^webhook_\w+ +enabled\n/, coloured: true },
  'templates pull': {
    words: async ({ url }) => {
      const folder = (await temporaryFile('other', '')).replace(/other$/, '');
      return ['templates', 'pull', '--out', `${folder}templates.ts`, '--url', url];
    },
    prints: /templates\.ts is written/,
    coloured: true,
  },
  'contacts import': {
    words: async ({ url }) => ['contacts', 'import', await rows(30), '--url', url],
    prints: /30 rows: 30 imported/,
  },
  conformance: {
    words: at('conformance', '--no-webhooks'),
    exitCode: 3, // it was not shown everything
    prints: /Conformance of/,
    coloured: true,
  },
  ...('programs' in postgres && {
    migrate: {
      words: ({ database: url }: Running) => ['migrate', '--store', url],
      prints: /^The schema messaging_automation in the database postgres at .* is up to date\./,
    },
  }),
  'listen --print-secret': { words: () => ['listen', '--print-secret'], prints: /^whsec_/ },
};

const withJson = Object.entries(commands).filter(([name]) => name !== 'listen --print-secret');

const ways = [
  ...(missingTerminal === undefined ? ([['in a terminal', runInTerminal]] as const) : []),
  ['off a terminal', runOffTerminal],
] as const;

describe.each(ways)('%s', (where, start) => {
  test.each(Object.entries(commands))('%s', async (_, { words, exitCode = 0, prints, coloured = false }) => {
    const run = start(await words(running));
    expect({ code: await run.ended, errors: run.errors, printed: plain(run.output) }).toEqual({
      code: exitCode,
      errors: '',
      printed: expect.stringMatching(prints),
    });
    expect(colour.test(run.output)).toBe(coloured && where === 'in a terminal');
    if (where === 'off a terminal') expect(run.output).not.toContain(escapeByte);
  });

  test.each(withJson)('%s --json', async (_, { words, exitCode = 0 }) => {
    const run = start([...(await words(running)), '--json'], { errors: '/dev/null' });
    expect(await run.ended).toBe(exitCode);
    expect(run.output).not.toContain(escapeByte);
    expect(dataIn(run.output).length).toBeGreaterThan(0);
  });
});

describe.skipIf(missingTerminal)('in a terminal', () => {
  const conformance = async (start: Start) => {
    const run = runInTerminal(['conformance', '--url', running.url, '--no-webhooks'], start);
    expect(await run.ended).toBe(3);
    return run.output;
  };

  test.each(['conformance', 'contacts import'])(
    '%s takes its progress back, whatever the width',
    async (name) => {
      const run = runInTerminal((await commands[name]?.words(running)) ?? [], { columns: 40 });
      expect(await run.ended).toBe(commands[name]?.exitCode ?? 0);
      const written = run.output.slice(0, run.output.lastIndexOf(erasure)).split(erasure);
      expect(written.length).toBeGreaterThan(10);
      expect(written.filter((line) => line.length >= 40 || line.includes(escapeByte))).toEqual([]);
      expect(plain(run.output)).not.toContain(escapeByte);
    },
  );

  test('NO_COLOR takes the colours, and a dumb terminal everything else', async () => {
    const withoutColour = await conformance({ env: { NO_COLOR: '1' } });
    expect(withoutColour).toContain(erasure);
    expect(withoutColour).not.toMatch(colour);
    expect(await conformance({ env: { TERM: 'dumb' } })).not.toContain(escapeByte);
  });

  test('no progress goes to standard error where that is a file', async () => {
    const errors = await temporaryFile('errors', '');
    await conformance({ errors });
    expect(await readFile(errors, 'utf8')).toBe('');
  });
});

/** The commands that go on until Ctrl-C: what they print first, and the exit code after it. */
const lasting: Readonly<Record<string, Command>> = {
  serve: {
    words: () => ['serve', '--port', '0'],
    prints: /Ctrl-C stops it/,
    after: /Stopped\./,
    coloured: true,
  },
  ...('programs' in postgres && {
    'serve --store': {
      words: ({ database: url }: Running) => ['serve', '--port', '0', '--store', url, '--replica', 'one'],
      prints: /as replica one[\s\S]*Ctrl-C stops it/,
      after: /Stopping. Current work has 6 s to finish[\s\S]*Stopped\./,
      coloured: true,
    },
  }),
  'logs --follow': { words: at('logs', '--follow'), prints: /POST/, coloured: true },
  listen: {
    words: at('listen', '--forward-to', 'http://127.0.0.1:9/hooks'),
    prints: /127\.0\.0\.1:9/,
    after: /Stopped\./,
  },
  'contacts import': {
    words: async ({ url }) => ['contacts', 'import', await rows(6_000), '--url', url],
    prints: / of 6000 rows/,
    after: /6000 rows: .* not tried\./,
    exitCode: 1,
  },
};

describe.each(ways)('Ctrl-C %s', (where, start) => {
  test.each(Object.entries(lasting))(
    'ends %s',
    async (_, { words, prints, after, exitCode = 0, coloured = false }) => {
      const run = start(await words(running));
      await run.printed(prints);
      run.interrupt();
      expect(await run.ended).toBe(exitCode);
      if (after) expect(plain(run.output)).toMatch(after);
      expect(colour.test(run.output)).toBe(coloured && where === 'in a terminal');
    },
  );

  test('ends conformance', async () => {
    const deployment = await startReceiver(hang);
    const run = start(['conformance', '--url', deployment.url, '--timeout', '1']);
    await deployment.arrived(1);
    run.interrupt();
    expect(await run.ended).toBe(130);
    expect(run.output + run.errors).toContain('Stopped.');
  });
});

/** The JSON in an output: one object a line. Only a report, which is one object, may take more lines. */
function dataIn(output: string): readonly unknown[] {
  if (/^\{\r?\n/.test(output)) return [JSON.parse(output)];
  const lines = output.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}
