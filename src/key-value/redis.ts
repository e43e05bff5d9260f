import {
  aString,
  ConfigurationError,
  checkArgument,
  checkOptions,
  hasMethods,
  type OptionCheck,
} from '../foundation/options.js';
import { listenForConnectionErrors, type StoreConnection } from './connection.js';
import type { KeyValueService } from './key-value-service.js';
import { hasProperties, type OtherClients, refuseOtherClients } from './other-clients.js';
import { timeToLive } from './records.js';

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
export type RedisKeyValueStoreOptions = {
  /** The prefix of every key. Workspaces that share a Redis need different ones. Default: `messaging-automation:`. */
  readonly prefix?: string | undefined;
};

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
 * `list` reads all keys of the Redis, a thousand at a time. It rejects on a cluster, where a client sees only a part of them.
 *
 * @throws ConfigurationError if `client` is not such a client. Each promise rejects with the error of the client, or with a
 * `ConfigurationError` if Redis refuses the operation for a reason that no retry can fix, such as a wrong password: its `cause` is the
 * error. A time to live of less than one millisecond is a `TypeError`. The longest is a century.
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
  refuseOtherClients(
    'createRedisKeyValueStore',
    client,
    otherClients,
    'a client of the package redis or of ioredis',
  );
  checkArgument('createRedisKeyValueStore', 'client', client, aRedisClient);
  checkOptions('createRedisKeyValueStore', options, { prefix: aString });
  const { prefix = 'messaging-automation:' } = options;
  listenForConnectionErrors(client, 'Redis client of a store');
  const run = (script: string, key: string, ...words: string[]) =>
    evaluate(client, script, [prefix + key], words);
  return {
    // A client can be configured to return the bytes of a text. An absent key has the value ''.
    get: async (key) => String((await run("return redis.call('GET', KEYS[1])", key)) ?? ''),
    set: async (key, value, ttl) =>
      run("redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])", key, value, wordOf(ttl)),
    setIfAbsent: async (key, value, ttl) => isOne(await run(setIfAbsentScript, key, value, wordOf(ttl))),
    replaceIfEqual: async (key, expected, value, ttl) =>
      isOne(await run(replaceIfEqualScript, key, expected, value, wordOf(ttl))),
    deleteIfEqual: async (key, expected) => isOne(await run(deleteIfEqualScript, key, expected)),
    async *list(keyPrefix, valuePrefix) {
      for await (const { key, value } of scan(client, prefix + keyPrefix, valuePrefix))
        yield { key: key.slice(prefix.length), value };
    },
  };
}

const wordOf = (ttl: number): string => String(timeToLive(ttl));

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

/**
 * A page of the entries, by the cursor, the pattern of the keys and the beginning of the values: the next cursor, and each key with its
 * value. A node of a cluster sees only its own keys. A key of another type is not of this store.
 */
const scanScript = `
if string.find(redis.call('INFO', 'cluster'), 'cluster_enabled:1') then return 'cluster' end
local scanned = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', 1000)
local page = { scanned[1] }
for _, key in ipairs(scanned[2]) do
  local value = redis.pcall('GET', key)
  if type(value) == 'string' then
    if string.sub(value, 1, #ARGV[3]) == ARGV[3] then
      page[#page + 1] = key
      page[#page + 1] = value
    end
  elseif value and not string.find(value.err, 'WRONGTYPE') then
    return value
  end
end
return page`;

/** Reads all keys of a Redis page by page, and yields the entries that match. */
async function* scan(client: RedisClient, keyPrefix: string, valuePrefix: string) {
  const pattern = `${keyPrefix.replace(/[*?[\]\\]/g, '\\$&')}*`;
  let cursor = '0';
  do {
    const page = await evaluate(client, scanScript, [], [cursor, pattern, valuePrefix]);
    if (String(page) === 'cluster')
      throw new ConfigurationError(
        'A Redis Cluster cannot list the entries of a store, because each of its nodes sees only its own. A key can still be settled by its name.',
      );
    // The cursor, and pairs.
    if (!Array.isArray(page) || page.length % 2 === 0) throw noReply();
    const [next = '0', ...found] = page.map(String);
    for (let place = 0; place < found.length; place += 2)
      yield { key: found[place] ?? '', value: found[place + 1] ?? '' };
    cursor = next;
  } while (cursor !== '0');
}

type RedisClient = NodeRedisClient | IoredisClient;

/** Runs a script by a client of either package. */
async function evaluate(
  client: RedisClient,
  script: string,
  keys: string[],
  words: string[],
): Promise<unknown> {
  try {
    return 'call' in client
      ? await client.eval(script, keys.length, ...keys, ...words)
      : await client.eval(script, { keys, arguments: words });
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}

/**
 * What Redis refuses again however often it is asked, and the remedy. Not among them are READONLY, which a client gets until it has found the
 * new primary after a failover, and what ends by itself: LOADING, BUSY, CLUSTERDOWN, MASTERDOWN, MISCONF, OOM and TRYAGAIN.
 */
const refusals: readonly (readonly [told: RegExp, meaning: string])[] = [
  [/\bNOAUTH\b/, 'wants a password: connect the client with one'],
  [/\bWRONGPASS\b|invalid password/, "refuses the client's user or password: correct them"],
  [
    /\bNOPERM\b|user executing the script can't/,
    "gives the client's user too few rights. It needs EVAL, GET, SET and DEL for the keys of the store, and INFO and SCAN to list them",
  ],
  [
    /\bWRONGTYPE\b/,
    'has a list, a hash or the like under a key of the store, which another program wrote. Use another prefix, or delete that key',
  ],
  [/^MOVED\b/, 'is a node of a cluster: pass a client of the cluster'],
  [/^DENIED\b/, 'is in protected mode: give it a password, or bind it to the loopback'],
  [/unknown command\b.*\beval\b/i, 'does not have the command EVAL, which the store needs: enable it'],
];

function refusalOf(error: unknown): ConfigurationError | undefined {
  const message = String(Reflect.get(Object(error), 'message'));
  const refusal = refusals.find(([told]) => told.test(message));
  return refusal && new ConfigurationError(`The Redis of the store ${refusal[1]}.`, { cause: error });
}

/** The reply of a script. A client can be configured to return a bigint or text. */
function isOne(reply: unknown): boolean {
  if (/^[01]$/.test(typeof reply === 'object' ? '' : String(reply))) return Number(reply) === 1;
  throw noReply();
}

function noReply(): TypeError {
  return new TypeError(
    'The Redis client of the store did not return the reply of a script. Pass a client whose methods return promises.',
  );
}

/** What an option must be that takes a client of Redis. */
const aRedisClient: OptionCheck = [
  (client) => hasMethods('eval')(client) && !isLegacy(Object(client)),
  'a client of the package redis, not one in legacy mode, or of ioredis: its method eval must return a promise',
];

/** Their `eval` takes other arguments, takes a callback, or only queues the script. */
const otherClients: OtherClients = [
  [
    hasMethods('eval', 'createScript'),
    'a client of @upstash/redis or @vercel/kv',
    'create it with automaticDeserialization: false and pass ' +
      '{ eval: (script, { keys, arguments: words }) => client.eval(script, keys, words) }',
  ],
  [hasMethods('eval', 'internal_send_command'), 'a client of version 3 of the package redis'],
  [hasProperties('eval', 'executor'), "a client of Deno's redis"],
  [hasProperties('eval', 'isPipeline'), 'a pipeline of ioredis'],
  [hasMethods('eval', 'execAsPipeline'), 'a transaction of the package redis'],
];

/** Whether the methods of a client take a callback and return nothing. */
function isLegacy(client: { readonly options?: unknown }): boolean {
  const isVersion4 = Reflect.get(Object(client.options), 'legacyMode') === true;
  return isVersion4 || client.constructor.name === 'RedisLegacyClient';
}
