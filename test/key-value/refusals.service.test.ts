import { randomBytes, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import {
  ConfigurationError,
  createPostgresKeyValueStore,
  createRedisKeyValueStore,
  type IoredisClient,
  type KeyValueService,
  type NodeRedisClient,
} from 'messaging-automation';
import { Pool } from 'pg';
import { createClient, createCluster } from 'redis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { missingPostgres, usePostgres } from '../postgres/support/database.js';
import { notRun } from '../run/debian.js';
import { type RedisServer, startRedis } from '../run/redis-server.js';
import { within } from '../waiting.js';
import { missingRedis } from '../webhooks/dedupe/redis-clients.js';
import { listed } from './store-checks.js';

/** Asserts that each operation is refused for good, with the words, and with the error of the database as its cause. */
async function refuses(store: KeyValueService, words: string, cause: object) {
  const refused = expect.objectContaining({
    message: expect.stringContaining(words),
    cause: expect.objectContaining(cause),
  });
  for (const operation of [
    () => store.get('key'),
    () => store.set('key', 'value', 60_000),
    () => store.setIfAbsent('key', 'value', 60_000),
    () => store.replaceIfEqual('key', 'value', 'other', 60_000),
    () => store.deleteIfEqual('key', 'value'),
    () => listed(store, 'key', 'value'),
  ]) {
    const error: unknown = await operation().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toEqual(refused);
  }
}

describe.skipIf(missingPostgres)('PostgreSQL refuses for good', () => {
  const postgres = usePostgres();

  /** A pool with another user, password or database. */
  function poolOf(change: (url: URL) => void): Pool {
    const url = new URL(postgres().connectionString);
    change(url);
    const pool = new Pool({ connectionString: url.href, max: 2 });
    onTestFinished(() => pool.end());
    return pool;
  }

  test('a table that does not exist, and works once it is migrated', async () => {
    const store = createPostgresKeyValueStore(postgres().server.pool, { table: 'orders' });
    await refuses(
      store,
      'The database lacks the table "orders" of the store, or a part of it (42P01: relation "orders" does not exist). Call migrate() of the store once',
      { code: '42P01' },
    );
    await store.migrate();
    expect(await store.setIfAbsent('key', 'value', 60_000)).toBe(true);
  });

  test('a schema that does not exist', async () => {
    const store = createPostgresKeyValueStore(postgres().server.pool, { table: 'nowhere.orders' });
    await refuses(store, 'The database lacks the table "nowhere.orders" of the store', { code: '42P01' });
    await expect(store.migrate()).rejects.toThrow(
      'lacks the table "nowhere.orders" of the store, or a part of it (3F000: schema "nowhere" does not exist). Call migrate() of the store once in a schema that exists',
    );
  });

  test('a database that does not exist', async () => {
    const store = createPostgresKeyValueStore(
      poolOf((url) => {
        url.pathname = '/nowhere';
      }),
    );
    await refuses(store, 'The database does not exist (3D000: ', { code: '3D000' });
  });

  test('a wrong password', async () => {
    const password = `canary_${randomUUID()}`;
    const wrong = poolOf((url) => {
      url.password = password;
    });
    await refuses(createPostgresKeyValueStore(wrong), 'rejects the role or its password (28P01: ', {
      code: '28P01',
    });
    const error: unknown = await createPostgresKeyValueStore(wrong)
      .get('key')
      .catch((thrown: unknown) => thrown);
    expect(String(error)).not.toContain('canary');
  });

  test('a role without rights', async () => {
    const store = createPostgresKeyValueStore(postgres().server.pool, { table: 'guarded' });
    await store.migrate();
    const client = await postgres().server.pool.connect();
    const role = `role_${randomUUID().replaceAll('-', '')}`;
    try {
      await client.query(`CREATE ROLE ${role}; SET ROLE ${role}`);
      const guarded = createPostgresKeyValueStore(client, { table: 'guarded' });
      await refuses(guarded, 'has too few rights on the table "guarded" of the store (42501: ', {
        code: '42501',
      });
    } finally {
      await client.query(`RESET ROLE; DROP OWNED BY ${role}; DROP ROLE ${role}`);
      client.release();
    }
  });

  test.each([
    ['has other columns', 'id int PRIMARY KEY', '42703'],
    ['has a column of another type', 'key int PRIMARY KEY, value text, expires_at timestamptz', '22P02'],
  ])('a table that %s', async (_, columns, code) => {
    const table = `other_${code}`.toLowerCase();
    await postgres().server.pool.query(`CREATE TABLE ${table} (${columns})`);
    const store = createPostgresKeyValueStore(postgres().server.pool, { table });
    const error: unknown = await store.replaceIfEqual('key', 'a', 'b', 60_000).catch((thrown) => thrown);

    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({
      message: expect.stringMatching(
        `^The database does not take what is written to the table "${table}" of the store \\(${code}.*name another one\\.$`,
      ),
      cause: { code },
    });
  });

  test('a table in which no key is unique', async () => {
    const { pool } = postgres().server;
    await pool.query('CREATE TABLE twice (key text, value text, expires_at timestamptz)');
    const store = createPostgresKeyValueStore(pool, { table: 'twice' });

    await expect(store.setIfAbsent('key', 'a', 60_000)).rejects.toThrow(
      'does not take what is written to the table "twice" of the store (42P10: ',
    );
  });

  test.each([
    ['the character U+0000', 'a\0b', 'PostgreSQL cannot keep the character U+0000'],
    [
      'a key that is too long',
      randomBytes(4_000).toString('hex'),
      'A key is longer than PostgreSQL can index',
    ],
  ])('%s', async (_, key, words) => {
    const store = createPostgresKeyValueStore(postgres().server.pool, { table: 'characters' });
    await store.migrate();

    await expect(store.set(key, 'a', 60_000)).rejects.toThrow(words);
    await expect(store.set(key, 'a', 60_000)).rejects.toThrow(ConfigurationError);
  });

  test('but not a statement on a standby, which may be another server soon', async () => {
    const readOnly = poolOf((url) => url.searchParams.set('options', '-c default_transaction_read_only=on'));
    const store = createPostgresKeyValueStore(postgres().server.pool, { table: 'primary_only' });
    await store.migrate();
    const standby = createPostgresKeyValueStore(readOnly, { table: 'primary_only' });

    await expect(standby.set('key', 'a', 60_000)).rejects.toMatchObject({ name: 'error', code: '25006' });
  });
});

const suffix = missingRedis === undefined ? '' : notRun('what Redis refuses for good', missingRedis);

describe.skipIf(missingRedis)(`Redis refuses for good${suffix}`, () => {
  async function ownRedis(settings: Readonly<Record<string, string>> = {}): Promise<RedisServer> {
    const server = await startRedis(false, settings);
    onTestFinished(() => server.stop());
    return server;
  }

  const withUser = (url: string, user: string, password: string) =>
    url.replace('redis://', `redis://${user}:${password}@`);

  function ioredisAt(url: string): Redis {
    const client = new Redis(url, { retryStrategy: () => null });
    client.on('error', () => {});
    onTestFinished(() => client.disconnect());
    return client;
  }

  async function nodeRedisAt(url: string) {
    const client = createClient({ url });
    client.on('error', () => {});
    await client.connect();
    onTestFinished(() => client.destroy());
    return client;
  }

  async function clusterIsUp(node: Redis): Promise<void> {
    while (!String(await node.call('CLUSTER', 'INFO')).includes('cluster_state:ok'));
  }

  /** A store by a client of each package. */
  async function storesAt(url: string): Promise<readonly KeyValueService[]> {
    const clients: (NodeRedisClient | IoredisClient)[] = [ioredisAt(url), await nodeRedisAt(url)];
    return clients.map((client) => createRedisKeyValueStore(client));
  }

  test('a client without the password', async () => {
    const { url } = await ownRedis({ requirepass: 'canary' });
    await expect(createRedisKeyValueStore(ioredisAt(url)).get('key')).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: 'The Redis of the store wants a password: connect the client with one.',
      cause: { message: expect.stringContaining('NOAUTH') },
    });
  });

  test('a client with a wrong password', async () => {
    const { url } = await ownRedis({ requirepass: 'canary' });
    const client = ioredisAt(withUser(url, 'default', 'wrong'));
    await expect(createRedisKeyValueStore(client).get('key')).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: "The Redis of the store refuses the client's user or password: correct them.",
      cause: { message: expect.stringContaining('WRONGPASS') },
    });
  });

  test('a user without the rights that the operation or its script needs', async () => {
    const { url } = await ownRedis();
    const admin = ioredisAt(url);
    await admin.call('ACL', 'SETUSER', 'other', 'on', '>password', '~other:*', '+@all');
    await admin.call('ACL', 'SETUSER', 'poor', 'on', '>password', '~*', '+@all', '-set', '-info');
    const few =
      'too few rights. It needs EVAL, GET, SET and DEL for the keys of the store, and INFO and SCAN';
    for (const store of await storesAt(withUser(url, 'other', 'password')))
      await expect(store.get('key')).rejects.toThrow(few);
    for (const store of await storesAt(withUser(url, 'poor', 'password'))) {
      await expect(store.set('key', 'a', 60_000)).rejects.toThrow(few);
      await expect(listed(store, 'key', '')).rejects.toThrow(few);
      await expect(listed(store, 'key', '')).rejects.toThrow(ConfigurationError);
    }
  });

  test('to list keys that the user may not read, rather than list some of them', async () => {
    const { url } = await ownRedis();
    const admin = ioredisAt(url);
    await admin.call('ACL', 'SETUSER', 'half', 'on', '>password', '~*:send:1', '+@all');
    const store = createRedisKeyValueStore(admin);
    for (const key of ['send:1', 'send:2']) await store.set(key, 'a', 60_000);
    for (const half of await storesAt(withUser(url, 'half', 'password')))
      await expect(listed(half, 'send:', '')).rejects.toThrow('too few rights');
  });

  test('a key under which there is a list', async () => {
    const { url } = await ownRedis();
    await ioredisAt(url).rpush('messaging-automation:key', 'a');
    for (const store of await storesAt(url)) {
      const cause = { message: expect.stringContaining('WRONGTYPE') };
      await expect(store.get('key')).rejects.toMatchObject({ name: 'ConfigurationError', cause });
      await expect(store.deleteIfEqual('key', 'a')).rejects.toThrow('which another program wrote');
    }
  });

  test('but not a write on a replica, which may be the primary soon', async () => {
    const { url } = await ownRedis();
    await ioredisAt(url).replicaof('127.0.0.1', '1');
    for (const store of await storesAt(url)) {
      const error: unknown = await store.set('key', 'a', 60_000).catch((thrown: unknown) => thrown);
      expect(error).not.toBeInstanceOf(ConfigurationError);
      expect(String(error)).toContain('READONLY');
    }
  });

  test('to list a cluster, of which each client sees a part, and settles its keys by name', async () => {
    const { url } = await ownRedis({ 'cluster-enabled': 'yes', 'cluster-announce-ip': '127.0.0.1' });
    const node = ioredisAt(url);
    await node.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await within('the cluster', clusterIsUp(node));
    const { port } = new URL(url);
    const cluster = new Redis.Cluster([{ host: '127.0.0.1', port: Number(port) }]);
    cluster.on('error', () => {});
    onTestFinished(() => cluster.disconnect());
    const nodeCluster = createCluster({ rootNodes: [{ url }] });
    nodeCluster.on('error', () => {});
    await nodeCluster.connect();
    onTestFinished(() => nodeCluster.destroy());
    for (const client of [node, cluster, nodeCluster]) {
      const store = createRedisKeyValueStore(client);
      await store.set('send:1', 'a', 60_000);
      await expect(listed(store, 'send:', '')).rejects.toThrow(ConfigurationError);
      await expect(listed(store, 'send:', '')).rejects.toThrow('A Redis Cluster cannot list');
      expect(await store.deleteIfEqual('send:1', 'a')).toBe(true);
    }
  });
});
