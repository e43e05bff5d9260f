import { aString, checkOptions } from '../../foundation/options.js';
import {
  aRedisClient,
  type IoredisClient,
  type NodeRedisClient,
  redisKeyValues,
} from '../../key-value/redis.js';
import { type DedupeStore, unclaimed } from './dedupe-store.js';
import { createKeyValueDedupeStore, type KeyValueDedupeStoreOptions } from './key-value-dedupe-store.js';

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
  checkOptions('createRedisDedupeStore', { client, ...options }, { client: aRedisClient, prefix: aString });
  return createKeyValueDedupeStore(redisKeyValues(client, '', unclaimed), options);
}
