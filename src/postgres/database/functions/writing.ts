import { placesOfMessage } from '../migrations/0006-outbox.js';
import { lockPlaces, rowsOf } from '../text.js';

/** Functions for verbs that write several tables, or write for many callers at once. */
export const writingFunctions = `
-- Every insert locks its workspace. A function that locks other rows before it inserts calls this first. Otherwise it holds rows
-- that a replacement of the workspace's content waits for, and waits for the replacement: a deadlock.
--
-- The other lock is for \`last_place\`. Every transaction that numbers rows holds it until its commit.
create function :schema.lock_workspace(workspace_id text) returns bigint language plpgsql as $$
declare
  owner bigint;
begin
  select w.number into owner from :schema.workspaces w where w.id = workspace_id for key share;
  perform ${lockPlaces} from :schema.workspaces w where w.number = owner;
  return owner;
end;
$$;

-- Makes a deletion of a subscription wait, or the caller wait for the deletion.
create function :schema.lock_subscriptions(owner bigint, ids text[]) returns void language plpgsql as $$
begin
  perform from :schema.subscriptions s where s.workspace = owner and s.id = any (ids) order by s.id for key share;
end;
$$;

-- Returns the number of a workspace, and the last place in a table of its rows. No row with a smaller place appears later: this function
-- waits for the transactions that have numbered rows and not committed, and lets no others begin.
create function :schema.last_place(workspace_id text, table_name text) returns table (workspace bigint, place bigint)
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(w.tableoid::int, hashint8(w.number)) from :schema.workspaces w where w.id = workspace_id;
  return query
  select w.number, case table_name
    when 'contacts' then (select max(t.place) from :schema.contacts t where t.workspace = w.number)
    -- The last place of the last message. Its deliveries may not be rows yet.
    when 'deliveries' then (select max(t.place) + ${placesOfMessage - 1} from :schema.messages t where t.workspace = w.number)
    when 'events' then (select max(t.place) from :schema.events t where t.workspace = w.number)
    when 'journey_runs' then (select max(t.place) from :schema.journey_runs t where t.workspace = w.number)
    when 'sends' then greatest(
      (select max(t.place) from :schema.sends t where t.workspace = w.number and t.status = 'pending'),
      (select max(t.place) from :schema.sends t where t.workspace = w.number and t.status = 'sent')
    )
  end
  from :schema.workspaces w
  where w.id = workspace_id;
end;
$$;

-- Saves messages, for any number of deliveries each, and returns the indexes of the saved ones. The contact or the subscriptions of
-- the others have changed since they were read, so the caller reads them again.
create function :schema.save_messages(
  workspace_id text,
  -- The places of the subscriptions that were read.
  subscriptions text,
  -- How to change the contact: 'add', 'change' or 'keep'.
  changes text[], contact_ids text[], versions bigint[], phones text[], consents text[], properties text[],
  -- The events, and the index of each one's message. One value contains all bodies, one after the other.
  event_messages int[], event_types text[], event_times double precision[], body_offsets int[], body_lengths int[], bodies bytea,
  -- The deliveries: the index of the event of each, its id, and the place of its subscription.
  delivery_events int[], delivery_ids text[], delivery_subscriptions bigint[]
) returns setof int language plpgsql as $$
#variable_conflict use_column
declare
  owner bigint := :schema.lock_workspace(workspace_id);
  saved int[];
begin
  perform :schema.lock_messages(owner);
  if owner is null or subscriptions <> (
    select coalesce(string_agg(s.place::text, ',' order by s.place), '') from :schema.subscriptions s where s.workspace = owner
  ) then
    return;
  end if;

  with given as (
    select *
    from ${rowsOf('changes', 'contact_ids', 'versions', 'phones', 'consents', 'properties')}
      as g (change, id, version, phone, consent, properties, index)
  ),
  added as (
    insert into :schema.contacts (workspace, id, phone, consent, properties)
    select owner, g.id, g.phone, g.consent, g.properties::json
    from given g
    where g.change = 'add'
    order by g.phone
    on conflict (workspace, phone) do nothing
    returning id
  ),
  found as (
    select c.id, g.index, g.version, g.consent, g.properties
    from given g join :schema.contacts c on c.workspace = owner and c.id = g.id and c.version = g.version
    where g.change = 'change'
    order by c.id
    for no key update of c
  ),
  changed as (
    update :schema.contacts c
    set consent = f.consent, properties = f.properties::json, version = c.version + 1
    from found f
    where c.workspace = owner and c.id = f.id and c.version = f.version
    returning f.index
  )
  select array_agg(each.index) into saved
  from (
    select g.index from given g where g.change = 'keep'
    union all
    -- With "is true", the planner builds a hash table. Without it, the planner joins, row by row where it assumes few rows.
    select g.index from given g where g.change = 'add' and (g.id in (select a.id from added a)) is true
    union all
    select c.index from changed c
  ) each;

  with event as (
    select e.index, e.type, e.created_at, substring(bodies from e.body_offset + 1 for e.body_length) as body
    from ${rowsOf('event_messages', 'event_types', 'event_times', 'body_offsets', 'body_lengths')}
      as e (message, type, created_at, body_offset, body_length, index)
    where (e.message in (select unnest(saved))) is true
  ),
  added as (
    insert into :schema.messages (workspace, event, body, created_at)
    select owner, e.type, e.body, e.created_at from event e order by e.index
    returning place
  ),
  fan_out as (
    select d.event, array_agg(d.subscription order by d.index) as subscriptions, array_agg(d.id order by d.index) as ids
    from ${rowsOf('delivery_events', 'delivery_ids', 'delivery_subscriptions')} as d (event, id, subscription, index)
    group by d.event
  )
  insert into :schema.fan_outs (workspace, place, created_at, subscriptions, ids)
  select owner, a.place, e.created_at, f.subscriptions, f.ids
  from (select place, row_number() over (order by place) as turn from added) a
    join (select *, row_number() over (order by index) as turn from event) e on e.turn = a.turn
    join fan_out f on f.event = e.index
  order by a.place;

  return query select unnest(saved);
end;
$$;

-- Begins each send for which a conversation is left. Returns the indexes of the sends that began, and what paid for each.
--
-- If a process stops during a step of a journey run, the replica that claims the run then repeats the step. If the step already has
-- a pending send, that send begins again without a second payment, and its record is returned, too. If the step has sent, or the
-- replica has lost its claim of the run, nothing begins.
create function :schema.begin_sends(
  workspace_id text, ids text[], records text[], tokens text[], runs text[], steps int[], run_tokens text[], new_holder text,
  lease double precision
) returns table (of_index int, paid_by text, record text) language plpgsql as $$
#variable_conflict use_column
declare
  owner bigint := :schema.lock_workspace(workspace_id);
  given record;
  purse record;
  run_token text;
  new_lease timestamptz := clock_timestamp() + lease * interval '1 millisecond';
begin
  for given in
    select *
    from ${rowsOf('ids', 'records', 'tokens', 'runs', 'steps', 'run_tokens')}
      as g (id, record, token, run_id, step, run_token, index)
    order by g.index
  loop
    of_index := given.index;
    -- Locks the run, so that it cannot be claimed until the commit. No row if its contact was deleted.
    select r.token into run_token
    from :schema.journey_runs r
    where r.workspace = owner and r.id = given.run_id
    for share;
    if found and run_token is distinct from given.run_token then
      continue;
    end if;
    update :schema.sends s set token = given.token, holder = new_holder, lease_until = new_lease
    where s.workspace = owner and s.run_id = given.run_id and s.run_position = given.step
      and s.status = 'pending'
    returning s.paid_by, s.record::text into paid_by, record;
    if found then
      return next;
      continue;
    end if;
    perform from :schema.sends s
    where s.workspace = owner and s.run_id = given.run_id and s.run_position = given.step;
    if found then
      continue;
    end if;
    record := null;
    select q.* into purse from :schema.quotas q where q.workspace = owner for no key update;
    paid_by := case when purse.quota > 0 then 'plan' when purse.add_on_credits > 0 then 'add_on' end;
    if paid_by is null then
      continue;
    end if;
    update :schema.quotas q
    set quota = q.quota - (paid_by = 'plan')::int, add_on_credits = q.add_on_credits - (paid_by = 'add_on')::int
    where q.workspace = owner;
    insert into :schema.sends (
      workspace, id, status, paid_by, record, run_id, run_position, token, holder, lease_until
    )
    values (
      owner, given.id, 'pending', paid_by, given.record::json, given.run_id, given.step, given.token, new_holder,
      new_lease
    );
    return next;
  end loop;
end;
$$;

-- Settles sends. Returns the indexes of the sends whose claims were the latest.
create function :schema.settle_sends(
  workspace_id text, ids text[], tokens text[], accepted boolean[], refunds boolean[]
) returns setof int language plpgsql as $$
#variable_conflict use_column
declare
  owner bigint := :schema.lock_workspace(workspace_id);
  given record;
  payer text;
begin
  for given in
    select *
    from ${rowsOf('ids', 'tokens', 'accepted', 'refunds')} as g (id, token, accepted, refund, index)
    order by g.id
  loop
    if given.accepted then
      -- It gets another place, so that no page that shows a later send has skipped it.
      update :schema.sends s set status = 'sent', place = default, token = null, holder = null, lease_until = null
      where s.workspace = owner and s.id = given.id and s.token = given.token;
      if found then
        return next given.index::int;
      end if;
      continue;
    end if;
    delete from :schema.sends s
    where s.workspace = owner and s.id = given.id and s.token = given.token
    returning s.paid_by into payer;
    if not found then
      continue;
    end if;
    if given.refund then
      update :schema.quotas q
      set quota = q.quota + (payer = 'plan')::int, add_on_credits = q.add_on_credits + (payer = 'add_on')::int
      where q.workspace = owner;
    end if;
    return next given.index::int;
  end loop;
end;
$$;

-- Marks the event as processed, and adds the runs that it starts.
create function :schema.complete_event(
  workspace_id text, event_id text, claim_token text,
  run_ids text[], run_contacts text[], run_statuses text[], run_dues double precision[], run_starts double precision[],
  run_records text[]
) returns boolean language plpgsql as $$
#variable_conflict use_column
declare
  owner bigint := :schema.lock_workspace(workspace_id);
begin
  -- In the same order as the deletion of a contact, which locks the contact before its events.
  perform from :schema.contacts c
  where c.workspace = owner and c.id = (select e.contact_id from :schema.events e where e.workspace = owner and e.id = event_id)
  for key share;
  update :schema.events e set processed = true, token = null, holder = null, lease_until = null
  where e.workspace = owner and e.id = event_id and e.token = claim_token and not e.processed;
  if not found then
    return false;
  end if;
  insert into :schema.journey_runs (workspace, id, contact_id, status, due_at, record)
  select owner, g.id, g.contact_id, g.status, g.due_at, g.record::json
  from ${rowsOf('run_ids', 'run_contacts', 'run_statuses', 'run_dues', 'run_records')}
    as g (id, contact_id, status, due_at, record, index)
  order by g.index;
  perform :schema.wake_at(owner, 'journey_run', g.id, g.due_at)
  from ${rowsOf('run_ids', 'run_statuses', 'run_dues', 'run_starts')} as g (id, status, due_at, started_at)
  where g.status = 'waiting' and g.due_at > g.started_at;
  return true;
end;
$$;

-- Deletes the subscription and cancels its pending deliveries. A claimed delivery ends with its claim.
create function :schema.delete_subscription(workspace_id text, subscription_id text) returns boolean
language plpgsql as $$
#variable_conflict use_variable
declare
  owner bigint;
begin
  select w.number into owner from :schema.workspaces w where w.id = workspace_id for key share;
  perform :schema.lock_messages(owner);
  -- No one claims or writes out for a subscription that is locked.
  perform from :schema.subscriptions s where s.workspace = owner and s.id = subscription_id for update;
  if not found then
    return false;
  end if;
  perform :schema.write_out(owner, subscription_id, null);
  delete from :schema.subscriptions s where s.workspace = owner and s.id = subscription_id;
  delete from :schema.cursors c where c.workspace = owner and c.subscription_id = delete_subscription.subscription_id;
  update :schema.deliveries d set status = 'cancelled', due_at = null
  where d.workspace = owner and d.subscription_id = delete_subscription.subscription_id and d.status = 'pending'
    and not exists (select from :schema.claims c where c.workspace = owner and c.id = d.id);
  return true;
end;
$$;
`;
