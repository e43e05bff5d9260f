import { aString, checkOptions, hasMethods, type OptionCheck } from '../../foundation/options.js';
import { type DedupeConnection, listenForConnectionErrors } from './connection-errors.js';
import type { DedupeStore } from './dedupe-store.js';
import { createKeyValueDedupeStore, type KeyValueDedupeStoreOptions } from './key-value-dedupe-store.js';

/**
 * The part of a client of the `redis` package (node-redis) that a dedupe store uses: one command, and the event of lost
 * connections. A client, a pool and a cluster of that package have both.
 */
export interface NodeRedisClient extends DedupeConnection {
  /** Runs a Lua script. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/**
 * The part of a client of the `ioredis` package that a dedupe store uses: one command. `call` distinguishes it from a client of the
 * other package. The store does not call it. A client and a cluster of that package have both.
 */
export interface IoredisClient extends DedupeConnection {
  /** Runs a Lua script. */
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** Runs any command. */
  call(command: string, ...words: string[]): Promise<unknown>;
}

/**
 * Options of `createRedisDedupeStore`. Receivers of different subscriptions need different prefixes, because both get the same bytes and
 * each must handle them.
 */
export type RedisDedupeStoreOptions = KeyValueDedupeStoreOptions;

/**
 * Creates a dedupe store in Redis, for receivers that run in several processes. It needs a client of the `redis` package or of
 * `ioredis`, which you connect and close. Each operation is one script on one key, so it is atomic and works on a cluster, too. Keys
 * expire by the clock of the Redis server, which deletes them.
 *
 * The store listens to the client's `error` event, so that a restart of Redis does not end the process. It warns of the first error if
 * there is no other listener.
 *
 * Use a Redis that does not evict keys before their time (`maxmemory-policy noeviction` or `volatile-ttl`): if a key is evicted
 * early, the receiver handles a duplicate. Each promise rejects with the error of the client.
 *
 * @example
 * ```ts
 * import { createRedisDedupeStore, createWebhookReceiver } from 'messaging-automation/webhooks';
 * import { createClient } from 'redis';
 *
 * const client = createClient({ url: 'redis://127.0.0.1:6379' }); // before the first delivery: await client.connect()
 * const dedupe = createRedisDedupeStore(client, { prefix: 'orders:webhook:' });
 * const receiver = createWebhookReceiver({ secret: 'whsec_example', dedupe });
 * ```
 */
export function createRedisDedupeStore(
  client: NodeRedisClient | IoredisClient,
  options: RedisDedupeStoreOptions = {},
): DedupeStore {
  checkOptions('createRedisDedupeStore', { client, ...options }, { client: aClient, prefix: aString });
  listenForConnectionErrors(client, 'Redis client');
  const run = (script: string, key: string, ...words: string[]) =>
    'call' in client
      ? client.eval(script, 1, key, ...words)
      : client.eval(script, { keys: [key], arguments: words });
  return createKeyValueDedupeStore(
    {
      // A client can be configured to return the bytes of a text.
      get: async (key) => String((await run("return redis.call('GET', KEYS[1])", key)) ?? ''),
      set: (key, value, ttl) =>
        run("redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])", key, value, String(ttl)),
      setIfAbsent: async (key, value, ttl) => isOne(await run(setIfAbsentScript, key, value, String(ttl))),
      replaceIfEqual: async (key, expected, value, ttl) =>
        isOne(await run(replaceIfEqualScript, key, expected, value, String(ttl))),
      deleteIfEqual: async (key, expected) => isOne(await run(deleteIfEqualScript, key, expected)),
    },
    options,
  );
}

const setIfAbsentScript = `
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
return 0`;

const replaceIfEqualScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

const deleteIfEqualScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

/** The reply of a script. A client can be configured to return a bigint or text. */
function isOne(reply: unknown): boolean {
  if (/^[01]$/.test(typeof reply === 'object' ? '' : String(reply))) return Number(reply) === 1;
  throw new TypeError(
    'The Redis client of the dedupe store did not return the reply of a script. Pass a client whose methods return promises.',
  );
}

const aClient: OptionCheck = [
  (client) => hasMethods('eval')(client) && !isLegacy(Object(client)),
  'a client of the package redis, not one in legacy mode, or of ioredis: its method eval must return a promise',
  'required',
];

/** Whether the methods of a client take a callback and return nothing. */
function isLegacy(client: { readonly options?: unknown }): boolean {
  const isVersion4 = Reflect.get(Object(client.options), 'legacyMode') === true;
  return isVersion4 || client.constructor.name === 'RedisLegacyClient';
}
