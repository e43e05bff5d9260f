import { createServer } from 'node:http';
import { Pool } from 'pg';
import { createClient } from 'redis';
import {
  createDedupeStore,
  createMemoryDedupeStore,
  createPostgresKeyValueStore,
  createRedisKeyValueStore,
  createWebhookReceiver,
  type DedupeStore,
  toNodeHandler,
} from '../../dist/webhooks.js';
import { secret } from './receivers.js';

const [redisUrl = '', postgresUrl = ''] = process.argv.slice(2);
const client = createClient({ url: redisUrl });
await client.connect();
const table = createPostgresKeyValueStore(new Pool({ connectionString: postgresUrl }));
await table.migrate();

const stores: Readonly<Record<string, DedupeStore>> = {
  memory: createMemoryDedupeStore({ maxEntries: 1_000_000 }),
  Redis: createDedupeStore(createRedisKeyValueStore(client)),
  PostgreSQL: createDedupeStore(table),
};

function receiving(dedupe: DedupeStore, inOrder: { readonly inOrder?: 'contact' }) {
  return toNodeHandler(
    createWebhookReceiver({ secret, dedupe, ...inOrder }).on('message.received', () => {}),
  );
}

/** What receives the deliveries, by its path. */
const handlers = new Map(
  Object.entries(stores).flatMap(([name, store]) => [
    [`/${name}/any`, receiving(store, {})],
    [`/${name}/in-turn`, receiving(store, { inOrder: 'contact' })],
  ]),
);

const server = createServer((request, response) => {
  handlers.get(request.url ?? '')?.(request, response);
}).listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.send?.(address?.port);
});
server.keepAliveTimeout = 600_000; // no connection is to be closed between two rounds
