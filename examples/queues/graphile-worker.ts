/** graphile-worker, over PostgreSQL. */
import { createServer } from 'node:http';
import { makeWorkerUtils, run } from 'graphile-worker';
import {
  createDedupeStore,
  createPostgresKeyValueStore,
  createWebhookReceiver,
  toNodeHandler,
} from 'messaging-automation/webhooks';
import { Pool } from 'pg';

const pool = new Pool({ connectionString: process.env.DATABASE_URL });
// graphile-worker warns without both: a restart of the database must not end the process.
pool.on('error', (error) => console.error(error));
pool.on('connect', (client) => client.on('error', (error) => console.error(error)));
const jobs = await makeWorkerUtils({ pgPool: pool });
await jobs.migrate();
const store = createPostgresKeyValueStore(pool);
await store.migrate();

const receiver = createWebhookReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  dedupe: createDedupeStore(store),
  inOrder: 'contact', // in the worker; a worker that was killed keeps no contact waiting for longer than a lease
  // It has 25 attempts over four days.
  enqueue: (job) => jobs.addJob('delivery', job, { jobKey: job.key, jobKeyMode: 'preserve_run_at' }),
}).on('message.received', async (event) => {
  console.log(event.data.body);
});

/** The web process. */
export function serve(port: number) {
  return createServer(toNodeHandler(receiver)).listen(port);
}

/** The worker's process. */
export function work() {
  return run({ pgPool: pool, taskList: { delivery: (job) => receiver.process(job) } });
}

export async function close() {
  await jobs.release();
  await pool.end();
}
