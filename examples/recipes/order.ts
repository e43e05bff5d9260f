/** An order and the job that sends its message are written in one transaction. graphile-worker, over PostgreSQL. */
import { makeWorkerUtils, run, type TaskList } from 'graphile-worker';
import { createPostgresKeyValueStore, MessagingAutomation } from 'messaging-automation';
import { Pool } from 'pg';

// create table orders (id bigint generated always as identity primary key, phone text not null)
const connectionString = process.env.DATABASE_URL ?? 'postgres://127.0.0.1/shop';
const pool = new Pool({ connectionString });
const keys = createPostgresKeyValueStore(pool);
export const messaging = new MessagingAutomation({ idempotencyStore: keys });

/** Once, before the first order: creates the tables of the jobs and of the keys. */
export async function migrate() {
  const jobs = await makeWorkerUtils({ connectionString });
  await jobs.migrate();
  await jobs.release();
  await keys.migrate();
}

/** The web process: once the transaction is committed, there are an order and its job. Otherwise there is neither. */
export async function placeOrder(phone: string): Promise<string> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query('insert into orders (phone) values ($1) returning id', [phone]);
    const id = String(rows[0].id);
    await client.query("select graphile_worker.add_job('confirm_order', $1, job_key := $2)", [
      { id },
      keyOf(id),
    ]);
    await client.query('commit');
    client.release();
    return id;
  } catch (error) {
    client.release(true); // closes the connection, which ends the transaction
    throw error;
  }
}

/** The worker: however often a job runs, there are one message and one event. */
export const tasks: TaskList = {
  async confirm_order(job) {
    const { rows } = await pool.query('select id, phone from orders where id = $1', [Object(job).id]);
    const { id, phone } = rows[0];
    const key = { idempotencyKey: keyOf(id) };
    const variables = { '1': 'Ada', '2': String(id) };
    await messaging.contacts.upsert({ phone });
    await messaging.transactional.send({ phone, templateId: 'order_update', variables }, key);
    await messaging.events.track({ event: 'order_placed', phone, properties: { orderId: id } }, key);
  },
};

/** The worker's process. On SIGTERM, call `stop()` of what this returns. */
export const work = () => run({ connectionString, taskList: tasks });

/**
 * For a person who has found out what has become of a message or an event. While that is unknown, each run of the job fails without a
 * request. This runs it again at once, even if it has failed for the last time.
 */
export async function settle(resource: 'transactional' | 'events', id: string, outcome: 'sent' | 'not_sent') {
  await messaging[resource].settle(keyOf(id), outcome);
  await pool.query(
    `select graphile_worker.reschedule_jobs(array[id], run_at := now(), attempts := 0)
     from graphile_worker.jobs where key = $1`,
    [keyOf(id)],
  );
}

export const close = () => pool.end();

/** Names the job, the message and the event of an order. A message and an event may have the same key. */
const keyOf = (id: string) => `order-${id}-placed`;
