/** A row of your own and the job, written in one transaction. The worker is that of graphile-worker. */
import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';
import { Pool } from 'pg';

// create table deliveries (key text primary key, received_at timestamptz not null, body text not null)
const pool = new Pool({ connectionString: process.env.DATABASE_URL });

export const receiver = createWebhookReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  async enqueue(job) {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const { rowCount } = await client.query(
        'insert into deliveries values ($1, $2, $3) on conflict do nothing',
        [job.key, job.receivedAt, job.body],
      );
      if (rowCount === 1) {
        await client.query("select graphile_worker.add_job('delivery', $1, job_key := $2)", [job, job.key]);
      }
      await client.query('commit');
      client.release();
    } catch (error) {
      client.release(true); // closes the connection, which ends the transaction
      throw error;
    }
  },
});

export const handler = toNodeHandler(receiver);
