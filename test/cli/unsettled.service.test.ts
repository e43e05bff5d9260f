import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  createPostgresKeyValueStore,
  createRedisKeyValueStore,
  type KeyValueService,
} from 'messaging-automation';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { shownWord } from '../../src/cli/terminal/terminal.js';
import {
  type Drivers,
  installed,
  ofProject,
  openPostgres,
  openRedis,
} from '../../src/cli/unsettled/drivers.js';
import type { UnsettledKey } from '../../src/client/idempotency/unsettled.js';
import { systemClock } from '../../src/foundation/clock.js';
import { folderWith } from '../folder.js';
import { listed } from '../key-value/store-checks.js';
import { missingPostgres, usePostgres } from '../postgres/support/database.js';
import { repositoryFile } from '../repository.js';
import { notRun } from '../run/debian.js';
import { shared } from '../run/shared.js';
import { within } from '../waiting.js';
import { missingRedis, useRedisClients } from '../webhooks/dedupe/redis-clients.js';
import { runCommand } from './served.js';
import { leaveUnsettled } from './unsettled-records.js';

const now = Date.UTC(2026, 0, 1, 12);
/** The clock that tells how long ago a key was used. Its deadlines are the machine's. */
const clock = { ...systemClock, now: () => now };

const shipped = {
  idempotencyKey: 'order-1001-shipped',
  operation: 'transactional.send',
  about: 'order_update',
  contact: '+***67',
  since: now - 3 * 3_600_000,
  baseUrl: 'https://messaging.example.com/api',
} satisfies UnsettledKey;
const paid = {
  ...shipped,
  idempotencyKey: "it's paid: 100%",
  operation: 'events.track',
  about: 'order_paid',
  contact: 'contact_1',
  since: now - 90_000,
} satisfies UnsettledKey;

const nothing = expect.stringMatching(
  /^No key is unsettled in the (PostgreSQL|Redis) at 127\.0\.0\.1:\d+\. The key of a process that has just died is listed after 30 seconds\.$/,
);

interface StoreAtHand {
  readonly store: KeyValueService;
  /** The flags that name it. */
  readonly flags: readonly string[];
}

/** What the commands do over every kind of store. */
function listsAndSettles(createStore: () => Promise<StoreAtHand>): void {
  let store: KeyValueService;
  let flags: readonly string[];

  beforeAll(async () => {
    ({ store, flags } = await createStore());
  });

  const run = async (...words: readonly string[]) => {
    const ended = await runCommand([...words, ...flags], { clock, env: {} });
    return { ...ended, lines: ended.output.split('\n') };
  };

  test('nothing unsettled is a sentence, and no line of JSON', async () => {
    expect(await run('unsettled')).toMatchObject({
      exitCode: 0,
      output: nothing,
      complaints: '',
    });
    expect(await run('unsettled', '--json')).toMatchObject({ exitCode: 0, output: '', complaints: '' });
  });

  test('settle says that the key is one of the other kind, and leaves that one alone', async () => {
    const [message, event] = [
      { ...shipped, idempotencyKey: 'of a message' },
      { ...paid, idempotencyKey: 'of an event' },
    ];
    for (const key of [message, event]) await leaveUnsettled(store, key);
    expect(await run('settle', 'of a message', 'sent', '--event')).toMatchObject({
      exitCode: 1,
      output: '',
      complaints: expect.stringContaining(
        'The key "of a message" of an event was not unknown, so nothing was changed. The key of a message with that name is unknown: leave out --event.',
      ),
    });
    const asJson = await run('settle', 'of an event', 'sent', '--json');
    expect(asJson.exitCode).toBe(1);
    expect(asJson.lines.map((line) => JSON.parse(line))).toMatchObject([
      { operation: 'transactional.send', settled: false },
      {
        error: expect.stringContaining('The key of an event with that name is unknown: pass --event.'),
        exitCode: 1,
      },
    ]);
    // Each is settled as what it is, so neither was changed.
    expect((await run('settle', 'of a message', 'not_sent')).exitCode).toBe(0);
    expect((await run('settle', 'of an event', 'not_sent', '--event')).exitCode).toBe(0);
    const neither = await run('settle', 'of a message', 'sent');
    expect(neither.complaints).toContain('It may be free, known as sent, or in use');
  });

  test('lists what is unsettled, settles it, and lists it no more', async () => {
    await leaveUnsettled(store, paid);
    await leaveUnsettled(store, shipped);
    const { exitCode, lines } = await run('unsettled');
    expect(exitCode).toBe(0);
    expect(lines.slice(0, 3)).toEqual([
      'KEY                 WHAT                   CONTACT    SINCE',
      'order-1001-shipped  template order_update  +***67     2026-01-01 09:00:00Z, 3 h ago',
      "it's paid: 100%     event order_paid       contact_1  2026-01-01 11:58:30Z, 1 min ago",
    ]);
    expect(lines.at(-1)).toMatch(/^ {2}messaging-automation settle --store .* order-1001-shipped sent$/);

    const [first, second] = (await run('unsettled', '--json')).lines;
    expect(JSON.parse(first ?? '')).toEqual({ ...shipped, since: '2026-01-01T09:00:00.000Z' });
    expect(JSON.parse(second ?? '')).toEqual({ ...paid, since: '2026-01-01T11:58:30.000Z' });

    expect(await run('settle', shipped.idempotencyKey, 'sent')).toMatchObject({
      exitCode: 0,
      output:
        'The key "order-1001-shipped" of a message is settled as sent: later calls with it send nothing.',
    });
    expect(await run('settle', paid.idempotencyKey, 'not_sent', '--event', '--json')).toMatchObject({
      exitCode: 0,
      output: JSON.stringify({
        operation: 'events.track',
        idempotencyKey: paid.idempotencyKey,
        outcome: 'not_sent',
        settled: true,
      }),
    });
    expect(await run('unsettled')).toMatchObject({ exitCode: 0, output: nothing });
  });

  test('says of a key that a process of 0.2.0 has left that it is known by its digest alone', async () => {
    await leaveUnsettled(store, { ...shipped, idempotencyKey: undefined });
    const { lines } = await run('unsettled');
    expect(lines[1]?.trimEnd()).toBe('(not kept)  template  -        -');
    expect(lines.at(-1)).toBe(
      'A process of version 0.2.0 recorded only the digest of its key: settle it by the key that your program uses.',
    );
    expect(await run('settle', 'a key of 0.2.0', 'sent')).toMatchObject({ exitCode: 0 });
  });

  test('settles nothing that is free or known, and says so', async () => {
    for (const key of [shipped.idempotencyKey, 'never used']) {
      const { exitCode, output, complaints } = await run('settle', key, 'sent');
      expect({ exitCode, output }).toEqual({ exitCode: 1, output: '' });
      expect(complaints).toContain(
        `The key "${key}" of a message was not unknown, so nothing was changed. It may be free, known as sent, or in use`,
      );
    }
    const asked = await run('settle', 'never used', 'not_sent', '--json');
    expect(asked).toMatchObject({ exitCode: 1, output: expect.stringContaining('"settled":false') });
  });

  test('prints at most as many as it is told to, and that there may be more', async () => {
    const keys = [1, 2, 3].map((number) => ({ ...shipped, idempotencyKey: `order-${number}` }));
    for (const key of keys) await leaveUnsettled(store, key);
    const { lines } = await run('unsettled', '--limit', '2');
    expect(lines.filter((line) => line.startsWith('order-'))).toHaveLength(2);
    expect(lines).toContain('There may be more: pass --limit 20.');
    for (const { idempotencyKey } of keys) await run('settle', idempotencyKey, 'sent');
  });

  test('shows what a key holds by its code, and never as a command to the terminal', async () => {
    const odd = { ...shipped, idempotencyKey: "-\u001b[31m'odd'\n", about: '\u001b[2J', contact: '\u202e1' };
    await leaveUnsettled(store, odd);
    const { output, lines } = await run('unsettled');
    for (const printed of [output, (await run('unsettled', '--json')).output]) {
      expect(printed).not.toContain('\u001b');
      expect(printed).not.toContain('\u202e');
    }
    expect(lines.at(-1)).toMatch(/ -- \$'-\\u001b\[31m\\'odd\\'\\u000a' sent$/);
    const settled = await runCommand(['settle', ...flags, '--', odd.idempotencyKey, 'sent'], { env: {} });
    expect(settled).toMatchObject({ exitCode: 0, output: expect.not.stringContaining('\u001b') });
  });
}

describe.skipIf(missingPostgres)('over PostgreSQL', () => {
  const postgres = usePostgres();

  listsAndSettles(async () => {
    const store = createPostgresKeyValueStore(postgres().server.pool, { table: 'open_keys' });
    await store.migrate();
    return { store, flags: ['--store', postgres().connectionString, '--table', 'open_keys'] };
  });

  test('a table that is missing or has another name is a sentence', async () => {
    const missing = ['--store', postgres().connectionString, '--table', 'nowhere'];
    expect(await runCommand(['unsettled', ...missing])).toMatchObject({
      exitCode: 2,
      complaints:
        'error: The database lacks the table "nowhere" of the store, or a part of it (42P01: relation "nowhere" does not exist). Call migrate() of the store once in a schema that exists, or run its schema. If the table is of another program, name another one.\n',
    });
    const invalid = ['--store', postgres().connectionString, '--table', 'No Table'];
    expect(await runCommand(['settle', 'key', 'sent', ...invalid])).toMatchObject({
      exitCode: 2,
      complaints: expect.stringMatching(/^error: --table must be /),
    });
  });

  test('a wrong password is a sentence that shows no password', async () => {
    const url = new URL(postgres().connectionString);
    url.password = 'canary';
    const { exitCode, complaints } = await runCommand(['unsettled', '--store', url.href]);
    expect({ exitCode, complaints }).toEqual({
      exitCode: 2,
      complaints:
        'error: PostgreSQL rejects the role or its password (28P01: password authentication failed for user "postgres"). Correct them in the URL.\n',
    });
  });

  test('a missing package is named', async () => {
    const none = { ...installed, pg: () => Promise.reject(new Error("Cannot find package 'pg'")) };
    await expect(openPostgres('postgres://127.0.0.1', undefined, systemClock, none)).rejects.toThrow(
      'A store in PostgreSQL needs the package pg. Run: npm install pg',
    );
  });
});

const suffix = missingRedis === undefined ? '' : notRun('the commands over Redis', missingRedis);

describe.skipIf(missingRedis)(`over Redis${suffix}`, () => {
  const clients = useRedisClients();
  const missing = () => Promise.reject(new Error('Cannot find package'));

  async function urlOfRedis(): Promise<string> {
    const redis = await shared('redis');
    return 'url' in redis ? redis.url : '';
  }

  listsAndSettles(async () => {
    const prefix = `${randomUUID()}:`;
    const store = createRedisKeyValueStore(clients.ioredis(), { prefix });
    return { store, flags: ['--store', await urlOfRedis(), '--prefix', prefix] };
  });

  test.each([
    ['redis', { ...installed, ioredis: missing }],
    ['redis 5', { ...installed, redis: () => import('redis-5') }],
    ['redis 4', { ...installed, redis: () => import('redis-4') }],
    ['ioredis', { ...installed, redis: missing }],
  ])('lists and settles by the package %s alone', async (_, drivers) => {
    const prefix = `${randomUUID()}:`;
    const { store, close } = await openRedis(await urlOfRedis(), prefix, systemClock, drivers);
    onTestFinished(close);
    await store.set('send:1', 'a', 60_000);

    expect(await listed(store, 'send:', 'a')).toEqual([['send:1', 'a']]);
    expect(await store.deleteIfEqual('send:1', 'a')).toBe(true);
  });

  test.each([
    ['redis', { ...installed, ioredis: missing }],
    ['ioredis', { ...installed, redis: missing }],
  ])('a wrong password is known at the first command by the package %s', async (_, drivers) => {
    const url = (await urlOfRedis()).replace('redis://', 'redis://nobody:canary@');
    const { store, close } = await openRedis(url, undefined, systemClock, drivers);
    onTestFinished(close);

    await expect(store.get('key')).rejects.toThrow("refuses the client's user or password");
  });

  test('no package is named with what to install', async () => {
    await expect(
      openRedis('redis://127.0.0.1', undefined, systemClock, {
        ...installed,
        redis: missing,
        ioredis: missing,
      }),
    ).rejects.toThrow('A store in Redis needs the package redis or ioredis. Run: npm install redis');
  });
});

test.each(['order-1', "it's", 'a b', '$(id) `id` "x" \\', '*', '~', "\u001b[31m\n'\\", 'ü🎉', '#a', '!a'])(
  'a shell reads the key %j as it is from the command to copy',
  async (key) => {
    const { stdout } = await promisify(execFile)('bash', ['-c', `printf %s ${shownWord(key)}`], {
      env: { LC_ALL: 'C.UTF-8' },
    });
    expect(stdout).toBe(key);
  },
);

describe('a store that does not respond', () => {
  test.each(['redis://user:canary@127.0.0.1:9', 'postgres://user:canary@127.0.0.1:9/orders'])(
    'at %s is one sentence with its code',
    async (url) => {
      const kind = url.startsWith('redis') ? 'Redis' : 'PostgreSQL';
      for (const command of [['unsettled'], ['settle', 'key', 'sent']]) {
        expect(await runCommand([...command, '--store', url])).toEqual({
          exitCode: 2,
          output: '',
          lines: [],
          complaints: `error: Cannot use the ${kind} at 127.0.0.1:9. Nothing listens at that host and port (ECONNREFUSED). Start it, or correct --store.\n`,
        });
      }
    },
  );

  test.each(['redis', 'postgres'])(
    'but takes connections by %s is given up after a deadline',
    async (scheme) => {
      const connections: Promise<unknown>[] = [];
      const silent = createServer((socket) => {
        connections.push(
          new Promise((resolve) => socket.resume().on('error', resolve).once('close', resolve)),
        );
      }).listen(0, '127.0.0.1');
      await new Promise((resolve) => silent.once('listening', resolve));
      onTestFinished(() => void silent.close());
      const address = silent.address();
      const url = `${scheme}://user:canary@127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
      const impatient = {
        now: () => now,
        setTimer: (callback: () => void) => systemClock.setTimer(callback, 200),
      };
      const { exitCode, complaints } = await runCommand(['unsettled', '--store', url], { clock: impatient });

      expect(exitCode).toBe(2);
      expect(complaints).toMatch(
        /^error: Cannot use the \w+ at 127\.0\.0\.1:\d+\. It did not take the connection in time \(ETIMEDOUT\)\./,
      );
      expect(complaints).not.toContain('canary');
      expect(connections).toHaveLength(1);
      await within('the connection to be closed', Promise.all(connections), undefined, 2_000);
    },
  );
});

test.each([
  ['redis', 'createClient'],
  ['redis-4', 'createClient'],
  ['ioredis', 'Redis'],
  ['pg', 'Client'],
] as const)('the package %s is found in the project of the working directory', async (name, needed) => {
  const folder = folderWith({ 'package.json': '{}' });
  await mkdir(join(folder, 'node_modules'));
  await symlink(repositoryFile(`node_modules/${name}`), join(folder, 'node_modules', name));
  const loaded = await ofProject<Awaited<ReturnType<Drivers['redis' | 'ioredis' | 'pg']>>>(name, folder);
  expect(Reflect.get(loaded, needed)).toBeTypeOf('function');
  await expect(ofProject('not-installed', folder)).rejects.toThrow('not-installed');
});
