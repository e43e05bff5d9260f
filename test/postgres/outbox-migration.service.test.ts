import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Database } from '../../src/postgres/database/connection.js';
import { migrate } from '../../src/postgres/database/migrate.js';
import { migrations } from '../../src/postgres/database/migrations/migrations.js';
import { prepareJobs } from '../../src/postgres/replica/engine.js';
import { listed } from '../server/store-conformance/opening.js';
import { outboxEvent, receive } from '../server/store-conformance/receiving.js';
import { missingPostgres, usePostgres } from './support/database.js';
import { openStore, untilItHolds } from './support/replicas.js';

const attempt = { number: 1, startedAt: 1, signature: 's', error: 'refused' };
const url = 'http://127.0.0.1:9/';
const subscription = {
  id: 'hooks',
  managed: false,
  url,
  events: ['message.received'],
  secret: 'whsec_1',
  enabled: true,
  createdAt: 1,
};
const delivery = {
  subscriptionId: 'hooks',
  event: 'message.received',
  url,
  body: Uint8Array.of(0, 255, 34),
  attempts: [],
};

/** What the database of version 0.2.0 has, in its order. */
const kept = [
  { ...delivery, id: 'over', status: 'delivered', createdAt: 1, attempts: [{ ...attempt, error: '\u0000' }] },
  { ...delivery, id: 'retried', status: 'pending', createdAt: 2, dueAt: 5, attempts: [attempt] },
  { ...delivery, id: 'running', status: 'pending', createdAt: 3, dueAt: 3 },
  { ...delivery, id: 'waiting', status: 'pending', createdAt: 4, dueAt: 4 },
  { ...delivery, id: 'cancelled', status: 'cancelled', createdAt: 5, subscriptionId: 'deleted' },
  { ...delivery, id: 'again', status: 'failed', createdAt: 6, redeliveryOf: 'over' },
];

describe.skipIf(missingPostgres)('the deliveries of a database of version 0.2.0', () => {
  const postgres = usePostgres();
  let schemas = 0;

  /** A schema of version 0.2.0 with deliveries in each state, and one that was set aside. */
  async function olderSchema() {
    const { connectionString, server } = postgres();
    schemas += 1;
    const schema = `older's ${schemas}`;
    const database = new Database({ connectionString, schema, poolSize: 2 });
    onTestFinished(() => database.close());
    const jobs = () => prepareJobs(database);
    await migrate(
      database,
      jobs,
      migrations.filter(({ number }) => number <= 5),
    );
    const query = (text: string, values: readonly unknown[] = []) =>
      server.pool.query(text.replaceAll(':schema', `"${schema}"`), [...values]);
    await query(
      "insert into :schema.workspaces (id) values ('w'); insert into :schema.quotas values (1, 9, 0)",
    );
    await query(
      `insert into :schema.subscriptions (workspace, id, url, record) values (1, 'hooks', $1, $2)`,
      [url, JSON.stringify(subscription)],
    );
    for (const each of [...kept, { ...delivery, id: 'spoilt', status: 'pending', createdAt: 7, dueAt: 7 }]) {
      await query(
        `insert into :schema.deliveries (workspace, id, subscription_id, event, url, body, status, attempts, redelivery_of, due_at, created_at)
         values (1, $1, $2, $3, $4, $5, $6, array(select json_array_elements($7::json)), $8, $9, $10)`,
        [
          each.id,
          each.subscriptionId,
          each.event,
          each.url,
          Buffer.from(each.body),
          each.status,
          JSON.stringify(each.attempts),
          'redeliveryOf' in each ? each.redeliveryOf : null,
          'dueAt' in each ? each.dueAt : null,
          each.createdAt,
        ],
      );
    }
    await query(
      `update :schema.deliveries set token = id || ' token', holder = 'gone', lease_until =
         case id when 'running' then now() + interval '1 hour' else now() end where id in ('running', 'retried')`,
    );
    await query(
      `with gone as (delete from :schema.deliveries d where id = 'spoilt' returning d.*)
       insert into :schema.set_aside (workspace, kind, id, reason, content)
       select workspace, 'deliveries', id, 'no reason', gone::text from gone`,
    );
    return { schema, query, update: () => migrate(database, jobs) };
  }

  test('are kept, with their attempts, their claims and their order, and go on', async () => {
    const { schema, query, update } = await olderSchema();
    await update();
    const { store } = await openStore(postgres(), { schema });
    const workspace = store.records.workspace('w');
    expect(await listed(workspace.outbox)).toEqual(kept);

    // The lease of one claim has expired. The replica of the other is still at work.
    const claimed = await workspace.outbox.claimDue('hooks', 9, 9);
    expect(claimed.map((each) => each.delivery.id)).toEqual(['waiting', 'retried']);
    const late = { id: 'running', token: 'running token' };
    expect(await workspace.outbox.recordAttempt(late, attempt, { status: 'failed' })).toMatchObject({
      status: 'failed',
      attempts: [attempt],
    });
    const stale = { id: 'retried', token: 'retried token' };
    expect(await workspace.outbox.recordAttempt(stale, attempt, { status: 'failed' })).toBeUndefined();

    // As the guide says, an operator puts a row back.
    await query(
      "insert into :schema.deliveries select (content:::schema.deliveries).* from :schema.set_aside where id = 'spoilt'",
    );
    await receive(workspace, outboxEvent(8));
    const after = await listed(workspace.outbox);
    expect(after.map(({ createdAt }) => createdAt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(after[6]).toEqual({ ...delivery, id: 'spoilt', status: 'pending', createdAt: 7, dueAt: 7 });
  });

  test('are as they were after a crash in the middle of the update, and the next start updates them', async () => {
    const { schema, query, update } = await olderSchema();
    const { connectionString } = postgres();
    const blocking = new Client({ connectionString });
    blocking.on('error', () => {});
    await blocking.connect();
    // The step reads these rows last, when the new tables are full.
    await blocking.query(`begin; lock table "${schema}".set_aside in access exclusive mode`);
    const updating = update().catch((error: unknown) => error);
    const waiting = `select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%former_deliveries%'`;
    await untilItHolds('the update is in its middle', async () => (await query(waiting)).rows.length === 1);
    await query(`select pg_terminate_backend(pid) from (${waiting}) waiting`);
    expect(await updating).toBeInstanceOf(Error);
    await blocking.end();

    const { rows } = await query(
      'select id, body, token is not null as claimed from :schema.deliveries order by place',
    );
    expect(rows.map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
    expect(rows.filter(({ claimed }) => claimed)).toHaveLength(2);
    await update();
    const { store } = await openStore(postgres(), { schema });
    expect(await listed(store.records.workspace('w').outbox)).toEqual(kept);
  });
});
