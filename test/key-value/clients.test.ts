import { EventEmitter } from 'node:events';
import {
  ConfigurationError,
  createPostgresKeyValueStore,
  createRedisKeyValueStore,
  type KeyValueService,
  type NodeRedisClient,
  type StoreConnection,
} from 'messaging-automation';
import { afterEach, describe, expect, test, vi } from 'vitest';

/** Emits what a client and a pool emit. */
class Connection extends EventEmitter {
  eval = async () => 1;
  query = async () => ({ rows: [] });
}

afterEach(() => vi.restoreAllMocks());

const lost = Object.assign(new Error('connect to postgres://user:password@db'), { code: 'ECONNREFUSED' });

describe.each([
  ['Redis client', (connection: Connection) => createRedisKeyValueStore(connection)],
  ['PostgreSQL pool', (connection: Connection) => createPostgresKeyValueStore(connection)],
])('a store with a %s', (name, createStore) => {
  test('lets no error of it end the process, and warns once without the message', () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const connection = new Connection();
    createStore(connection);
    connection.emit('error', lost);
    connection.emit('error', lost);

    expect(emitWarning).toHaveBeenCalledOnce();
    const [message] = emitWarning.mock.calls[0] ?? [];
    expect(message).toContain(`The ${name} of a store lost a connection: ECONNREFUSED.`);
    expect(message).not.toContain('password');
  });

  test('leaves the errors to whoever else listens', () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const connection = new Connection();
    const listener = vi.fn();
    createStore(connection);
    connection.on('error', listener);
    connection.emit('error', lost);

    expect(listener).toHaveBeenCalledExactlyOnceWith(lost);
    expect(emitWarning).not.toHaveBeenCalled();
  });

  test('listens once, however many stores share it', () => {
    const connection = new Connection();
    for (let count = 0; count < 20; count += 1) createStore(connection);

    expect(connection.listenerCount('error')).toBe(1);
  });

  test.each([undefined, null, 'gone', { code: 'a secret message' }, new AggregateError([], 'password')])(
    'says nothing that could be secret of the error %s',
    (error) => {
      const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
      const connection = new Connection();
      createStore(connection);
      connection.emit('error', error);

      expect(emitWarning.mock.calls[0]?.[0]).toMatch(/lost a connection: (unknown error|AggregateError)\./);
    },
  );
});

test('a client that cannot count its listeners is warned of', () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const emitter = new EventEmitter();
  createRedisKeyValueStore({ eval: async () => 1, on: (event, listener) => emitter.on(event, listener) });
  emitter.emit('error', lost);

  expect(emitWarning).toHaveBeenCalledOnce();
});

test('a client that emits nothing is taken, too', () => {
  const client: StoreConnection & { eval(): Promise<unknown> } = { eval: async () => 1 };

  expect(() => createRedisKeyValueStore(client)).not.toThrow();
});

test('a Redis client may give numbers as bigint', async () => {
  const store = createRedisKeyValueStore({ eval: async () => 1n });

  expect(await store.setIfAbsent('key', 'value', 1)).toBe(true);
});

test.each([null, undefined])('a key that Redis does not have, told by %s, is absent', async (absent) => {
  expect(await createRedisKeyValueStore({ eval: async () => absent }).get('key')).toBe('');
});

test('a Redis client that gives no text is named', async () => {
  const client: NodeRedisClient = { eval: async () => new Uint8Array() };

  await expect(createRedisKeyValueStore(client).setIfAbsent('key', 'value', 1)).rejects.toThrow(
    'did not return the reply of a script',
  );
});

test.each([
  ["ERR unknown command 'EVAL', with args beginning with: 'return 1'", 'does not have the command EVAL'],
  ['ERR unknown command `eval`', 'does not have the command EVAL'],
  ['MOVED 3999 127.0.0.1:6381', 'is a node of a cluster: pass a client of the cluster'],
  ['DENIED Redis is running in protected mode because', 'is in protected mode'],
  ['NOPERM ACL failure in script: User poor has no permissions', 'too few rights'],
  ['ERR Error running script (call to f_1): @user_script:2: WRONGTYPE Operation', 'under a key of the store'],
  ['ERR invalid password', "refuses the client's user or password"],
])('a Redis that says %j is not asked again', async (message, meaning) => {
  const cause = new Error(message);
  const store = createRedisKeyValueStore({ eval: () => Promise.reject(cause) });

  await expect(store.get('key')).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: expect.stringContaining(meaning),
    cause,
  });
});

test.each([
  'LOADING Redis is loading the dataset in memory',
  "READONLY You can't write against a read only replica.",
  "OOM command not allowed when used memory > 'maxmemory'.",
  'MISCONF Redis is configured to save RDB snapshots',
  'CLUSTERDOWN The cluster is down',
  'BUSY Redis is busy running a script',
  'Connection is closed.',
])('a Redis that says %j may be better soon: its error is passed on', async (message) => {
  const error = new Error(message);
  const store = createRedisKeyValueStore({ eval: () => Promise.reject(error) });

  await expect(store.get('key')).rejects.toBe(error);
});

test('a pool without a password is not asked again', async () => {
  const cause = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
  const store = createPostgresKeyValueStore({ query: () => Promise.reject(cause) });

  await expect(store.get('key')).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: expect.stringMatching(
      /^PostgreSQL wants a password, and there is none \(28P01: SASL.*\)\. Add it/,
    ),
    cause,
  });
});

test.each(['40P01', '53300', '57P01', '57P03', '08006', '25006', undefined])(
  'a PostgreSQL that says %s may be better soon: its error is passed on',
  async (code) => {
    const error = Object.assign(new Error('a message'), { code });
    const store = createPostgresKeyValueStore({ query: () => Promise.reject(error) });

    await expect(store.get('key')).rejects.toBe(error);
  },
);

test.each([undefined, null, [], ['0', 'key']])(
  'a Redis client that gives %j for a page is named',
  async (reply) => {
    const store = createRedisKeyValueStore({ eval: async () => reply });
    const list = async () => {
      for await (const entry of store.list?.('', '') ?? []) throw new Error(`It listed ${entry.key}.`);
    };

    await expect(list()).rejects.toThrow('did not return the reply of a script');
  },
);

describe('a statement that meets another one', () => {
  /** A pool whose first statements meet another one. */
  function contested(times: number) {
    const meets = Object.assign(new Error('could not serialize access'), { code: '40001' });
    const query = vi.fn(async () => {
      if (query.mock.calls.length <= times) throw meets;
      return { rows: [{ key: 'key' }] };
    });
    return { store: createPostgresKeyValueStore({ query }), query, meets };
  }

  test('is sent again until it succeeds, with the same values', async () => {
    const { store, query } = contested(49);
    expect(await store.setIfAbsent('key', 'value', 1)).toBe(true);
    expect(query).toHaveBeenCalledTimes(50);
    expect(new Set(query.mock.calls.map((given) => JSON.stringify(given))).size).toBe(1);
  });

  test('fifty times fails with the error of the pool', async () => {
    const { store, query, meets } = contested(50);
    await expect(store.deleteIfEqual('key', 'value')).rejects.toBe(meets);
    expect(query).toHaveBeenCalledTimes(50);
  });
});

test('a pool that gives no objects is named', async () => {
  const store = createPostgresKeyValueStore({ query: async () => ({ rows: [{ 0: 'done' }] }) });

  await expect(store.get('key')).rejects.toThrow('a pool that returns rows as objects');
});

/** What tells the clients of other packages, as they have it. */
const nothing = () => undefined;
const sql = Object.assign(() => undefined, { unsafe: nothing });

test.each<[string, object]>([
  ['@upstash/redis', { eval: nothing, createScript: nothing }],
  ['version 3 of the package redis', { eval: nothing, internal_send_command: nothing }],
  ["Deno's redis", { eval: nothing, executor: {} }],
  ['a pipeline of ioredis', { eval: nothing, call: nothing, isPipeline: true }],
  ['a transaction of the package redis', { eval: nothing, execAsPipeline: nothing }],
])('a store in Redis refuses by name what it cannot use: %s', (name, client) => {
  const create = () => Reflect.apply(createRedisKeyValueStore, undefined, [client]);
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(name);
});

test.each<[string, object]>([
  ['pg-promise, whose pool is its $pool', { query: nothing, oneOrNone: nothing, connect: nothing }],
  ['the package postgres', Object.assign(() => undefined, { unsafe: nothing, begin: nothing })],
  ['@neondatabase/serverless', Object.assign(sql, { query: nothing, transaction: nothing })],
  ['Prisma', { $queryRawUnsafe: nothing }],
  ['Drizzle, whose pool is its $client', { query: {}, $client: {} }],
  ['TypeORM', { query: nothing, createQueryRunner: nothing }],
  ['Sequelize', { query: nothing, escape: nothing, authenticate: nothing }],
  ['Slonik', { query: nothing, oneFirst: nothing }],
  ['Kysely', { executeQuery: nothing }],
  ['pg-native', { query: nothing, querySync: nothing }],
  ['MySQL', { query: nothing, escape: nothing }],
])('a store in PostgreSQL refuses by name what it cannot use: %s', (name, pool) => {
  const create = () => Reflect.apply(createPostgresKeyValueStore, undefined, [pool]);
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(name);
});

/** What a refusal says to pass in place of `client`, as a program would have it. */
function adapted<Client extends object>(create: (client: never) => unknown, client: Client): unknown {
  let message = '';
  try {
    Reflect.apply(create, undefined, [client]);
  } catch (error) {
    message = String(error);
  }
  const [, code = ''] =
    /(client\.\$\w+|\{ .* \})(?: \(run the schema of the store yourself\))?\.$/.exec(message) ?? [];
  return Reflect.construct(Function, ['client', `return ${code}`])(client);
}

describe('the adapter that a refusal names', () => {
  const statements: unknown[] = [];
  const rows = [{ value: 'a value' }];
  const told = async (...given: unknown[]) => {
    statements.push(given);
    return rows;
  };
  const asPool = { query: async (...given: unknown[]) => ({ rows: await told(...given) }) };

  test.each<[string, object, (text: unknown) => unknown[]]>([
    ['pg-promise', { query: nothing, oneOrNone: nothing, $pool: asPool }, (text) => [text, ['key']]],
    ['postgres', Object.assign(() => undefined, { unsafe: told, begin: nothing }), (text) => [text, ['key']]],
    [
      '@neondatabase/serverless',
      Object.assign(() => undefined, { unsafe: nothing, transaction: nothing, query: asPool.query }),
      (text) => [text, ['key'], { fullResults: true }],
    ],
    ['Prisma', { $queryRawUnsafe: told }, (text) => [text, 'key']],
    ['Drizzle', { query: {}, $client: asPool }, (text) => [text, ['key']]],
  ])('makes a pool of a client of %s', async (_, client, expected) => {
    statements.length = 0;
    const pool = adapted(createPostgresKeyValueStore, client);
    const store: KeyValueService = Reflect.apply(createPostgresKeyValueStore, undefined, [pool]);
    expect(await store.get('key')).toBe('a value');
    expect(statements).toEqual([expected(expect.stringContaining('SELECT value FROM'))]);
  });

  test('makes a Redis client of one of @upstash/redis', async () => {
    const evaluated = vi.fn<(script: string, keys: string[], words: string[]) => Promise<unknown>>(
      async () => 1,
    );
    const client = adapted(createRedisKeyValueStore, { eval: evaluated, createScript: nothing });
    const store: KeyValueService = Reflect.apply(createRedisKeyValueStore, undefined, [
      client,
      { prefix: 'p:' },
    ]);
    expect(await store.setIfAbsent('key', 'value', 1_000)).toBe(true);
    expect(evaluated).toHaveBeenCalledExactlyOnceWith(expect.any(String), ['p:key'], ['value', '1000']);
  });
});

test.each([undefined, null, {}, 'postgres://user:password@db', () => undefined])(
  'a store refuses what is no client at all: %o',
  (client) => {
    for (const create of [createRedisKeyValueStore, createPostgresKeyValueStore]) {
      const creating = () => Reflect.apply(create, undefined, [client]);
      expect(creating).toThrow(ConfigurationError);
      expect(creating).not.toThrow('password');
    }
  },
);
