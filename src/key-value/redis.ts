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
 * Options of `createRedisKeyValueStore`.
 */
export interface RedisKeyValueStoreOptions {
  /** The prefix of every key. Workspaces that share a Redis need different ones. Default: `messaging-automation:`. */
  readonly prefix?: string | undefined;
}

/**
 * Creates a store in Redis, which any number of processes can share: for the client's option `idempotencyStore`, for `createOptOutList`,
 * and for a receiver by `createDedupeStore`. It needs a client of the `redis` package or of `ioredis`, which you connect and close. Each
 * operation is one script on one key, so it is atomic and works on a cluster, too. Keys expire by the clock of the Redis server, which
 * deletes them.
 *
 * Use a Redis that does not evict keys before their time (`maxmemory-policy noeviction`), and that keeps its data (`appendonly yes`). What
 * Redis loses can be sent or handled again.
 *
 * The store listens to the client's `error` event, so that a restart of Redis does not end the process. It warns of the first error if
 * there is no other listener.
 *
 * @throws ConfigurationError if `client` is not such a client. Each promise rejects with the error of the client.
 *
 * @example
 * ```ts
 * import { createRedisKeyValueStore, MessagingAutomation } from 'messaging-automation';
 * import { createDedupeStore, createWebhookReceiver } from 'messaging-automation/webhooks';
 * import { createClient } from 'redis';
 *
 * const client = createClient({ url: 'redis://127.0.0.1:6379' }); // first: await client.connect()
 * const store = createRedisKeyValueStore(client);
 * const messaging = new MessagingAutomation({ idempotencyStore: store });
 * const receiver = createWebhookReceiver({ secret: 'whsec_example', dedupe: createDedupeStore(store) });
 * ```
 */
export function createRedisKeyValueStore(
  client: NodeRedisClient | IoredisClient,
  options: RedisKeyValueStoreOptions = {},
): KeyValueService {
  checkOptions('createRedisKeyValueStore', { client, ...options }, { client: aRedisClient, prefix: aString });
  const { prefix = 'messaging-automation:' } = options;
  listenForConnectionErrors(client, 'Redis client of a store');
  const run = (script: string, key: string, ...words: string[]) =>
    'call' in client
      ? client.eval(script, 1, prefix + key, ...words)
      : client.eval(script, { keys: [prefix + key], arguments: words });
  return {
    // A client can be configured to return the bytes of a text. An absent key has the value ''.
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
const aRedisClient: OptionCheck = [
  (client) => hasMethods('eval')(client) && !isLegacy(Object(client)),
  'a client of the package redis, not one in legacy mode, or of ioredis: its method eval must return a promise',
  'required',
];

/** Whether the methods of a client take a callback and return nothing. */
function isLegacy(client: { readonly options?: unknown }): boolean {
  const isVersion4 = Reflect.get(Object(client.options), 'legacyMode') === true;
  return isVersion4 || client.constructor.name === 'RedisLegacyClient';
}
