import { execFileSync } from 'node:child_process';
import { chownSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../cli/served.js';
import { notRun } from '../run/debian.js';
import { findPgbouncer, startPgbouncer } from '../run/pgbouncer-server.js';
import { missingPostgres, useOwnPostgres } from './support/database.js';
import { untilItHolds } from './support/replicas.js';
import { serveReplica } from './support/served-replica.js';

const bouncer = await findPgbouncer();
if ('missing' in bouncer) notRun('the tests of a store behind PgBouncer', bouncer.missing);

/** What the start says of a database, at once or after its wait. */
async function refusalOf(url: string, wait = '0s'): Promise<string> {
  const words = ['migrate', '--store', url, '--wait-for-store', wait];
  const { exitCode, complaints } = await runCommand(words);
  expect(exitCode).toBe(2);
  expect(complaints).not.toContain(new URL(url.replace('@/', '@host/')).password || 'no password');
  return complaints;
}

describe.skipIf(missingPostgres)('the way to a database', () => {
  const postgres = useOwnPostgres();

  const urlWith = (search: string) => Object.assign(new URL(postgres().connectionString), { search }).href;

  async function dataFolder(): Promise<string> {
    const { rows } = await postgres().server.pool.query<{ data_directory: string }>('show data_directory');
    return rows[0]?.data_directory ?? '';
  }

  /** Writes a file that the server can read, until the test is over. */
  async function place(name: string, content: string | Buffer): Promise<string> {
    const folder = await dataFolder();
    const path = join(folder, name);
    const { uid, gid } = statSync(folder);
    writeFileSync(path, content, { mode: 0o600 });
    chownSync(path, uid, gid);
    onTestFinished(() => rmSync(path, { force: true }));
    return path;
  }

  async function set(settings: Readonly<Record<string, string>>): Promise<void> {
    const { pool } = postgres().server;
    for (const [name, value] of Object.entries(settings))
      await pool.query(`alter system set ${name} = '${value}'`);
    await pool.query('select pg_reload_conf()');
  }

  async function withHba(lines: string): Promise<void> {
    const path = join(await dataFolder(), 'pg_hba.conf');
    const before = readFileSync(path);
    const reload = () => postgres().server.pool.query('select pg_reload_conf()');
    onTestFinished(async () => {
      writeFileSync(path, before);
      await reload();
    });
    writeFileSync(path, `${lines}\n${before}`);
    await reload();
  }

  async function serveTls(...words: readonly string[]): Promise<string> {
    const folder = await dataFolder();
    const [key, cert] = ['made.key', 'made.crt'].map((name) => join(dirname(folder), name));
    if (key === undefined || cert === undefined) throw new Error('There are two files.');
    const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    execFileSync('openssl', [...request, '-keyout', key, '-out', cert, ...words], { stdio: 'pipe' });
    await place('server.key', readFileSync(key));
    await place('server.crt', readFileSync(cert));
    await set({ ssl: 'on' });
    onTestFinished(() => set({ ssl: 'off' }));
    return cert;
  }

  test('TLS that the server does not have', async () => {
    expect(await refusalOf(urlWith('sslmode=verify-full'), '30s')).toMatch(
      /^error: Cannot use the database .* It has no TLS, and the URL asks for it \(NO_TLS\)\. Set ssl = on/,
    );
  });

  test('a certificate that is signed by itself, or is for another host', async () => {
    await serveTls('-subj', '/CN=elsewhere', '-days', '1');
    const strict = urlWith('sslmode=verify-full');
    await untilItHolds('the certificate is served', async () => /DEPTH_ZERO/.test(await refusalOf(strict)));
    expect(await refusalOf(strict, '30s')).toMatch(
      /self-signed \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. Name a PEM file with that certificate in the URL: sslrootcert=FILE/,
    );
    const trusted = join(dirname(await dataFolder()), 'made.crt');
    expect(await refusalOf(urlWith(`sslmode=verify-full&sslrootcert=${trusted}`), '30s')).toMatch(
      /for another host \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
    );
    expect(await refusalOf(urlWith('sslmode=verify-full&sslrootcert=/nowhere.pem'), '30s')).toMatch(
      /A file that the URL names cannot be read \(ENOENT\)\. Correct sslrootcert/,
    );
  });

  test('pg_hba.conf, which wants TLS, or does not let the role in', async () => {
    await withHba('hostssl all other 127.0.0.1/32 scram-sha-256\nhost all other 127.0.0.1/32 reject');
    await postgres().server.pool.query("create role other login password 'secret'");
    const url = Object.assign(new URL(postgres().connectionString), {
      username: 'other',
      password: 'secret',
    });
    await untilItHolds('the file is read', async () => /28000/.test(await refusalOf(url.href)));
    expect(await refusalOf(url.href, '30s')).toMatch(
      /pg_hba\.conf accepts no connection without TLS \(28000: /,
    );
  });

  test('a standby, at the start and while it serves', async () => {
    const { server, connectionString } = postgres();
    const { ask } = await serveReplica(['--store', connectionString, '--api-key', 'test_key']);
    await place('standby.signal', '');
    await server.end('SIGINT');
    await server.start();
    expect(await refusalOf(connectionString)).toMatch(
      /It is a standby, which is read-only \(25006: .*\)\. Name the primary server in the URL, or promote this one/,
    );
    const shown = async () => JSON.stringify((await ask('/health')).body);
    await untilItHolds('it is connected again', async () => (await shown()).includes('25006'));
    const health = await ask('/health');
    expect([health.status, health.body]).toMatchObject([
      503,
      {
        status: 'unavailable',
        cause: { code: '25006', message: expect.stringContaining('It is a standby') },
      },
    ]);
    await ask('/api/v1/contacts', { phone: '+15551234567' });
    await server.pool.query('select pg_promote()');
    await untilItHolds('it works again', async () => (await ask('/health')).status === 200);
  });

  describe.skipIf('missing' in bouncer)('through PgBouncer', () => {
    const start = async (setting: string, database = postgres().connectionString) => {
      const pooler = await startPgbouncer(
        'missing' in bouncer ? '' : bouncer.program,
        database,
        'session',
        setting,
      );
      onTestFinished(() => pooler.stop());
      return pooler.url;
    };

    test.each([
      [
        'max_client_conn = 2',
        /2 of the 3 connections.*PgBouncer takes no more clients \(\w+: no more connections/,
      ],
      [
        'default_pool_size = 2\nquery_wait_timeout = 1',
        /2 of the 3 connections.*no free session of PostgreSQL in time \(\w+: query_wait_timeout\)/,
      ],
    ])('with %s', async (setting, says) => {
      expect(await refusalOf(await start(setting))).toMatch(says);
    });

    test('with a wrong password in its configuration', async () => {
      const wrong = Object.assign(new URL(postgres().connectionString), { password: 'wrong' }).href;
      expect(await refusalOf(await start('', wrong))).toMatch(
        /PgBouncer cannot log in to PostgreSQL \(08P01: /,
      );
    });

    test('with a parameter that it refuses', async () => {
      const url = Object.assign(new URL(await start('')), { search: 'options=-c%20geqo%3Doff' }).href;
      expect(await refusalOf(url, '30s')).toMatch(
        /PgBouncer refuses a parameter of the connection \(08P01: /,
      );
    });
  });
});
