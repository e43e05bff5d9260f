import type { Pool } from 'pg';
import { placesOfMessage } from '../../../src/postgres/database/migrations/0006-outbox.js';
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
  const place = `(select coalesce(max(place), 0) from ${schema}.messages) + i::bigint * ${placesOfMessage}`;
  await insert(
    'deliveries',
    'place, id, subscription_id, url, status, due_at, written_at',
    `${place}, 'd' || i, 's' || i % 3, 'http://127.0.0.1:9/',
     case when ${isWaiting} then 'pending' else 'delivered' end, case when ${isWaiting} then i end, ${age}`,
  );
  await insert(
    'messages',
    'place, event, body, created_at',
    `${place}, 'message.received', convert_to('{"data":{"contactId":"c' || i || '","phone":"+1555' || i || '","body":"' || repeat('x', 200) || '"}}', 'UTF8'), i`,
  );
  await pool.query(
    `select setval(pg_get_serial_sequence('${schema}.messages', 'place'), (select max(place) + ${placesOfMessage} from ${schema}.messages), false)`,
  );
  // A journal keeps at most 11,000 entries, so most of these belong to other workspaces.
  await pool.query(`
    truncate ${schema}.journal, ${schema}.journals;
    insert into ${schema}.journal (workspace, number, entry, at)
    select i % 10 + 1, (i - 1) / 10 + 1, '${entry}', ${age} from generate_series(1, ${rowsOfEach}) i;
    insert into ${schema}.journals (workspace, latest, oldest_at)
    select w.number, max(j.number), min(j.at) from ${schema}.workspaces w join ${schema}.journal j on j.workspace = w.number group by w.number`);
}

/** Makes half of the finished rows of one workspace wait, and as many deliveries of another subscription that are no rows yet, as after a long outage. */
export async function addBacklog(pool: Pool, schema: string): Promise<void> {
  const shareOf = (places: number) =>
    `workspace = (select number from ${schema}.workspaces where id = 'w1') or place / ${places} % 3 = 0`;
  const share = shareOf(1);
  await pool.query(`
    update ${schema}.messages set workspace = (select number from ${schema}.workspaces where id = 'w1') where ${shareOf(placesOfMessage)};
    update ${schema}.deliveries set status = 'pending', due_at = place, subscription_id = 's1',
      workspace = (select number from ${schema}.workspaces where id = 'w1') where ${shareOf(placesOfMessage)};
    insert into ${schema}.fan_outs (workspace, place, created_at, subscriptions, ids)
    select m.workspace, m.place, m.created_at, array[0, s.place], array['of another', 'waits ' || m.place]
    from ${schema}.messages m join ${schema}.subscriptions s on s.workspace = m.workspace and s.id = 's2'
    where m.workspace = (select number from ${schema}.workspaces where id = 'w1');
    update ${schema}.cursors set reached = (select max(place) from ${schema}.fan_outs) where subscription_id <> 's2';
    update ${schema}.events set processed = false where ${share};
    update ${schema}.journey_runs set status = 'waiting' where ${share};
    update ${schema}.sends set status = 'pending', token = 'old', holder = 'gone', lease_until = '-infinity' where ${share}`);
}
