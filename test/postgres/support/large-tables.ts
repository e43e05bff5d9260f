import type { Pool } from 'pg';
import { growingTables } from './plans.js';

/** How many rows each growing table gets. */
export const rowsOfEach = 100_000;

const entry = JSON.stringify({
  type: 'message',
  at: 1,
  messageId: 'm',
  contactId: 'c',
  phone: '+1',
  body: 'b',
});

/** How many other workspaces there are. Each has as many subscriptions as the others. */
const otherWorkspaces = 1_000;

/** How many rows of each kind are old enough to be deleted, and how many wait. Few, as in a service that keeps up with its work. */
const old = 1_500;
const waiting = 200;

/**
 * Fills the growing tables of a schema with the rows of these workspaces, in turn. Each has the subscriptions `s0` to `s2` and the
 * contacts, events, sends, runs and deliveries with the ids `c1`, `e1` and so on.
 */
export async function fillTables(pool: Pool, schema: string, workspaces: readonly string[]): Promise<void> {
  for (const table of growingTables)
    await pool.query(`alter table ${schema}.${table} set (autovacuum_enabled = off)`);
  const numbers = `(select array_agg(number order by number) from ${schema}.workspaces where id = any($1))`;
  const insert = (table: string, columns: string, values: string) =>
    pool.query(
      `insert into ${schema}.${table} (workspace, ${columns})
       select (${numbers})[i % ${workspaces.length} + 1], ${values} from generate_series(1, ${rowsOfEach}) i`,
      [workspaces],
    );
  // So few workspaces that a plan may begin with all of them, and then read something for each.
  await pool.query(`
    insert into ${schema}.workspaces (id) select 'other ' || i from generate_series(1, ${otherWorkspaces}) i;
    insert into ${schema}.subscriptions (workspace, id, url, record)
    select number, 's' || i, 'http://127.0.0.1:9/', '{}'
    from ${schema}.workspaces, generate_series(1, ${rowsOfEach / otherWorkspaces}) i where id like 'other %'`);
  const age = `case when i <= ${old} then now() - interval '1 year' else now() end`;
  const isWaiting = `i > ${rowsOfEach - waiting}`;
  await insert('contacts', 'id, phone, properties', `'c' || i, '+1555' || i, '{"name": "Ada"}'`);
  await insert(
    'events',
    'id, contact_id, event, accepted_at, properties, processed, written_at',
    `'e' || i, 'c' || i, 'order', i, '{}', not (${isWaiting}), ${age}`,
  );
  await insert(
    'journey_runs',
    'id, contact_id, status, due_at, record, written_at',
    `'r' || i, 'c' || i, case when ${isWaiting} then 'waiting' else 'finished' end, i, '{"id": "r", "position": 0}', ${age}`,
  );
  await insert(
    'sends',
    'id, status, paid_by, record, token, holder, lease_until, written_at',
    `'m' || i, case when ${isWaiting} then 'pending' else 'sent' end, 'plan',
     ('{"id":"m","contactId":"c' || i || '","phone":"+1555' || i || '","templateId":"t' || i % 30 || '","text":"Hello ' || i
       || '","journeyRunId":"r' || i || '"}')::json,
     case when ${isWaiting} then 'old' end, 'gone', '-infinity', ${age}`,
  );
  await insert(
    'deliveries',
    'id, subscription_id, event, url, body, status, due_at, created_at, written_at',
    `'d' || i, 's' || i % 3, 'message.received', 'http://127.0.0.1:9/', convert_to('{"data":{"contactId":"c' || i || '","phone":"+1555' || i || '","body":"' || repeat('x', 200) || '"}}', 'UTF8'),
     case when ${isWaiting} then 'pending' else 'delivered' end, case when ${isWaiting} then i end, i, ${age}`,
  );
  // A journal keeps at most 11,000 entries, so most of these belong to other workspaces.
  await pool.query(`
    truncate ${schema}.journal, ${schema}.journals;
    insert into ${schema}.journal (workspace, number, entry, at)
    select i % 10 + 1, (i - 1) / 10 + 1, '${entry}', ${age} from generate_series(1, ${rowsOfEach}) i;
    insert into ${schema}.journals (workspace, latest, oldest_at)
    select w.number, max(j.number), min(j.at) from ${schema}.workspaces w join ${schema}.journal j on j.workspace = w.number group by w.number`);
}

/** Makes half of the finished rows of one workspace and, of the deliveries, one subscription wait, as after a long outage. */
export async function addBacklog(pool: Pool, schema: string): Promise<void> {
  const share = `workspace = (select number from ${schema}.workspaces where id = 'w1') or place % 3 = 0`;
  await pool.query(`
    update ${schema}.deliveries set status = 'pending', due_at = created_at, subscription_id = 's1',
      workspace = (select number from ${schema}.workspaces where id = 'w1') where ${share};
    update ${schema}.events set processed = false where ${share};
    update ${schema}.journey_runs set status = 'waiting' where ${share};
    update ${schema}.sends set status = 'pending', token = 'old', holder = 'gone', lease_until = '-infinity' where ${share}`);
}
