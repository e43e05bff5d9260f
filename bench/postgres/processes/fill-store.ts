import type pg from 'pg';

/** What a store holds. All of it but the last two is in the workspace that works. */
export interface Crowd {
  readonly url: string;
  readonly deliveries: number;
  /** Contacts in the segment, with an event each. */
  readonly members: number;
  readonly workspaces: number;
  /** Of each workspace. */
  readonly subscriptions: number;
}

/** Copies a delivery, a workspace and a subscription that the server made, as many times as it takes. */
export async function fill(
  client: pg.Client,
  schema: string,
  workspaceId: string,
  crowd: Crowd,
): Promise<void> {
  const { deliveries, members, workspaces, subscriptions } = crowd;
  const query = (text: string, values: readonly unknown[]) =>
    client.query(text.replaceAll(':schema', schema), [...values]);
  await copyDeliveries(query, workspaceId, workspaceId, 'delivery_kept_', deliveries);
  await query(
    `insert into :schema.contacts (workspace, id, phone, properties)
     select w.number, 'contact_member_' || n, '+1' || (2000000000 + n), '{}'
     from :schema.workspaces w, generate_series(1, $2::int) n where w.id = $1`,
    [workspaceId, members],
  );
  await query(
    `insert into :schema.events (workspace, id, contact_id, event, accepted_at, properties, processed)
     select w.number, 'event_member_' || n, 'contact_member_' || n, 'order_placed', 1000 * extract(epoch from now()), '{}', true
     from :schema.workspaces w, generate_series(1, $2::int) n where w.id = $1`,
    [workspaceId, members],
  );
  await query(
    `insert into :schema.workspaces (id, settings, initial_state)
     select 'idle_' || n, w.settings, w.initial_state
     from :schema.workspaces w, generate_series(1, $2::int) n where w.id = $1`,
    [workspaceId, workspaces],
  );
  await query(
    `insert into :schema.quotas select number, 1000, 0 from :schema.workspaces where id like 'idle\\_%'`,
    [],
  );
  await query(
    `insert into :schema.journals (workspace) select number from :schema.workspaces where id like 'idle\\_%'`,
    [],
  );
  await query(
    `insert into :schema.subscriptions (workspace, id, url, record)
     select w.number, s.id || '_' || n, s.url, replace(s.record::text, s.id, s.id || '_' || n)::json
     from
       :schema.workspaces w,
       (select s.* from :schema.subscriptions s join :schema.workspaces o on o.number = s.workspace where o.id = $1 limit 1) s,
       generate_series(1, $2::int) n
     where w.id like 'idle\\_%'`,
    [workspaceId, subscriptions],
  );
  await query('vacuum analyze', []);
  // Otherwise what follows also waits for the disk to take what was filled in.
  await query('checkpoint', []);
}

type Query = (text: string, values: readonly unknown[]) => Promise<unknown>;

async function copyDeliveries(
  query: Query,
  from: string,
  to: string,
  prefix: string,
  count: number,
): Promise<void> {
  await query(
    `with original as (
       select d.subscription_id, d.url, d.attempts, m.event, m.body, m.created_at
       from
         :schema.workspaces o
         join :schema.deliveries d on d.workspace = o.number and d.status = 'delivered'
         join :schema.messages m on m.workspace = o.number and m.place = :schema.message_of(d.place)
       where o.id = $1
       limit 1
     ),
     added as (
       insert into :schema.messages (workspace, event, body, created_at)
       select w.number, o.event, o.body, o.created_at
       from :schema.workspaces w, original o, generate_series(1, $4::int)
       where w.id = $2
       returning workspace, place
     )
     insert into :schema.deliveries (workspace, place, id, subscription_id, url, status, attempts)
     select a.workspace, a.place, $3 || row_number() over (), o.subscription_id, o.url, 'delivered', o.attempts
     from added a, original o`,
    [from, to, prefix, count],
  );
}

/** Deliveries to one subscription, which are all due. */
export async function fillBacklog(
  client: pg.Client,
  schema: string,
  workspaceId: string,
  url: string,
  count: number,
): Promise<void> {
  await client.query(
    `with original as (
       select m.event, m.body, m.created_at from ${schema}.messages m join ${schema}.workspaces w on w.number = m.workspace and w.id = $1
       limit 1
     ),
     added as (
       insert into ${schema}.messages (workspace, event, body, created_at)
       select w.number, o.event, o.body, o.created_at
       from ${schema}.workspaces w, original o, generate_series(1, $3::int)
       where w.id = $1
       returning workspace, place, created_at
     )
     insert into ${schema}.fan_outs (workspace, place, created_at, subscriptions, ids)
     select a.workspace, a.place, a.created_at, array[s.place], array['delivery_late_' || a.place]
     from added a join ${schema}.subscriptions s on s.workspace = a.workspace and s.url = $2
     order by a.place`,
    [workspaceId, url, count],
  );
  await client.query(`analyze ${schema}.messages, ${schema}.fan_outs`);
}

/** Fills another workspace with so many deliveries. */
export async function fillWorkspace(
  client: pg.Client,
  schema: string,
  workspaceId: string,
  to: string,
  rows: number,
): Promise<void> {
  const query: Query = (text, values) => client.query(text.replaceAll(':schema', schema), [...values]);
  await copyDeliveries(query, workspaceId, to, 'delivery_large_', rows);
}
