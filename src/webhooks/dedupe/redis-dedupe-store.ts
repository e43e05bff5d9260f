import type { DedupeClaim, DedupeStore } from './dedupe-store.js';
import { type IoredisClient, type NodeRedisClient, runScript } from './redis-client.js';

/**
 * Where a store keeps its keys in Redis.
 *
 * @example
 * ```ts
 * import { createClient } from 'redis';
 * import { createRedisDedupeStore, type RedisDedupeStoreOptions } from 'messaging-automation/webhooks';
 *
 * const options: RedisDedupeStoreOptions = { prefix: 'orders:webhook:' };
 * const dedupe = createRedisDedupeStore(createClient(), options);
 * ```
 */
export interface RedisDedupeStoreOptions {
  /**
   * What every key begins with. Receivers of different subscriptions need different ones: both get the same bytes, and
   * each is to handle them. Default: `messaging-automation:dedupe:`.
   */
  readonly prefix?: string | undefined;
}

/**
 * A dedupe store in Redis, for receivers that run in several processes. It takes a client of the `redis` package or of
 * `ioredis`, connected by you and closed by you. Each step is one script on one key, so it is atomic and runs on a
 * cluster too; leases and memories end by the time of the Redis server, which drops the keys by itself.
 *
 * Use a Redis that does not evict keys before their time (`maxmemory-policy noeviction` or `volatile-ttl`): a key that
 * is gone early lets a duplicate in. Each promise rejects with what the client rejects with.
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
  const { prefix = 'messaging-automation:dedupe:' } = options;
  return {
    async claim(key, { holder, lease }) {
      const claim = await runScript(client, claimScript, prefix + key, held(holder), milliseconds(lease));
      if (isClaim(claim)) return claim;
      throw new TypeError(
        'The Redis client did not give text for text. Give the dedupe store a client that decodes replies.',
      );
    },
    async renew(key, { holder, lease }) {
      return Boolean(await runScript(client, renewScript, prefix + key, held(holder), milliseconds(lease)));
    },
    async commit(key, { ttl }) {
      await runScript(client, commitScript, prefix + key, milliseconds(ttl));
    },
    async release(key, { holder }) {
      await runScript(client, releaseScript, prefix + key, held(holder));
    },
  };
}

const claimScript = `
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 'claimed' end
if redis.call('GET', KEYS[1]) == 'done' then return 'done' end
return 'in_progress'`;

const renewScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

const commitScript = `redis.call('SET', KEYS[1], 'done', 'PX', ARGV[1])`;

const releaseScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`;

/** A holder's name can then be any text, "done" included. */
function held(holder: string): string {
  return `held by ${holder}`;
}

/** Redis counts whole milliseconds, from one up. */
function milliseconds(time: number): string {
  return String(Math.max(1, Math.ceil(time)));
}

function isClaim(reply: unknown): reply is DedupeClaim {
  return reply === 'claimed' || reply === 'in_progress' || reply === 'done';
}
