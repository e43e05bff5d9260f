/**
 * A row of your own and the delivery in one transaction: the database keeps the delivery from counting twice, also if the process dies
 * between the commit and the response.
 */
import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';
import { Pool } from 'pg';

// create table tickets (delivery text primary key, contact text not null, body text not null)
const pool = new Pool({ connectionString: process.env.DATABASE_URL });

export const receiver = createWebhookReceiver({ secret: process.env.WEBHOOK_SECRET ?? '' });

receiver.on('message.received', async ({ data }, { key }) => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rowCount } = await client.query(
      'insert into tickets values ($1, $2, $3) on conflict do nothing',
      [key, data.contactId, data.body],
    );
    // Everything else that belongs to the ticket, in the same transaction.
    if (rowCount === 1) await client.query("select pg_notify('tickets', $1)", [key]);
    await client.query('commit');
    client.release();
  } catch (error) {
    client.release(true); // closes the connection, which ends the transaction
    throw error;
  }
});

export const handler = toNodeHandler(receiver);
export const close = () => pool.end();
