import { aString, checkOptions, hasMethods, type OptionCheck } from '../foundation/options.js';
import { listenForConnectionErrors, type StoreConnection } from './connection.js';
import type { KeyValueService } from './key-value-service.js';

/**
 * The part of a client of the `redis` package (node-redis) that a store uses: one command, and the event of lost
 * connections. A client, a pool and a cluster of that package have both.
 */
export interface NodeRedisClient extends StoreConnection {
  /** Runs a Lua script. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/**
 * The part of a client of the `ioredis` package that a store uses: one command. `call` distinguishes it from a client of the
 * other package. The store does not call it. A client and a cluster of that package have both.
 */
export interface IoredisClient extends StoreConnection {
  /** Runs a Lua script. */
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** Runs any command. */
  call(command: string, ...words: string[]): Promise<unknown>;
}

/**
 * Options of `createRedisIdempotencyStore`.
 */
export interface RedisIdempotencyStoreOptions {
  /** The prefix of every key. Workspaces that share a Redis need different ones. Default: `messaging-automation:send:`. */
  readonly prefix?: string | undefined;
}

/**
 * Creates a store of idempotency keys in Redis, for the client's option `idempotencyStore`. Any number of processes can share it. It
 * needs a client of the `redis` package or of `ioredis`, which you connect and close. Each operation is one script on one key, so it is
 * atomic and works on a cluster, too.
 *
 * Use a Redis that keeps its data: with `appendonly yes`, and without evicting keys (`maxmemory-policy noeviction`). What Redis loses,
 * can be sent again.
 *
 * The store listens to the client's `error` event, so that a restart of Redis does not end the process. It warns of the first error if
 * there is no other listener.
 *
 * @throws ConfigurationError if `client` is not such a client.
 *
 * @example
 * ```ts
 * import { createRedisIdempotencyStore, MessagingAutomation } from 'messaging-automation';
 * import { createClient } from 'redis';
 *
 * const client = createClient({ url: 'redis://127.0.0.1:6379' }); // before the first send: await client.connect()
 * const messaging = new MessagingAutomation({ idempotencyStore: createRedisIdempotencyStore(client) });
 * ```
 */
export function createRedisIdempotencyStore(
  client: NodeRedisClient | IoredisClient,
  options: RedisIdempotencyStoreOptions = {},
): KeyValueService {
  const checks = { client: aRedisClient, prefix: aString };
  checkOptions('createRedisIdempotencyStore', { client, ...options }, checks);
  const { prefix = 'messaging-automation:send:' } = options;
  return redisKeyValues(client, prefix, 'Sends with an idempotency key fail until it is back.');
}

/**
 * The operations of a key-value service in Redis. An absent key has the value ''.
 *
 * @param prefix - The prefix of every key.
 * @param consequence - What happens while the connection is lost, for a warning.
 */
export function redisKeyValues(
  client: NodeRedisClient | IoredisClient,
  prefix: string,
  consequence: string,
): KeyValueService {
  listenForConnectionErrors(client, 'Redis client of a store', consequence);
  const run = (script: string, key: string, ...words: string[]) =>
    'call' in client
      ? client.eval(script, 1, prefix + key, ...words)
      : client.eval(script, { keys: [prefix + key], arguments: words });
  return {
    // A client can be configured to return the bytes of a text.
    get: async (key) => String((await run("return redis.call('GET', KEYS[1])", key)) ?? ''),
    set: (key, value, ttl) =>
      run("redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])", key, value, String(ttl)),
    setIfAbsent: async (key, value, ttl) => isOne(await run(setIfAbsentScript, key, value, String(ttl))),
    replaceIfEqual: async (key, expected, value, ttl) =>
      isOne(await run(replaceIfEqualScript, key, expected, value, String(ttl))),
    deleteIfEqual: async (key, expected) => isOne(await run(deleteIfEqualScript, key, expected)),
  };
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
    'The Redis client of the store did not return the reply of a script. Pass a client whose methods return promises.',
  );
}

/** What an option must be that takes a client of Redis. */
export const aRedisClient: OptionCheck = [
  (client) => hasMethods('eval')(client) && !isLegacy(Object(client)),
  'a client of the package redis, not one in legacy mode, or of ioredis: its method eval must return a promise',
  'required',
];

/** Whether the methods of a client take a callback and return nothing. */
function isLegacy(client: { readonly options?: unknown }): boolean {
  const isVersion4 = Reflect.get(Object(client.options), 'legacyMode') === true;
  return isVersion4 || client.constructor.name === 'RedisLegacyClient';
}
