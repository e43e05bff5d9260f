import { placesOfMessage } from '../migrations/0006-outbox.js';

/** SQL: the lock of those who write out or claim deliveries of a subscription, until their commit. */
const keyOf = (id: string) => `hashtextextended(owner || ' ' || ${id}, 0)`;

/**
 * The outbox: writes out the deliveries of messages, claims them, and records attempts, for many callers at once.
 *
 * To avoid deadlocks, every transaction locks in the same order: its workspace, the messages, subscriptions, deliveries, claims, each by
 * their keys. A claim waits for none of the later ones.
 */
export const claimingFunctions = `
-- The place of the message of a delivery.
create function :schema.message_of(place bigint) returns bigint language sql immutable parallel safe as $$
  select place - place % ${placesOfMessage}
$$;

-- Messages of a workspace get their places, and commit, one transaction after the other. So a message that appears later has a larger
-- place, and a subscription can pass over all that it has reached. A deletion of a subscription waits, too.
create function :schema.lock_messages(owner bigint) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('messages of ' || owner, 0))
$$;

-- Returns each subscription with deliveries that are not rows yet, and the first message of which.
create function :schema.lagging(owner bigint)
returns table (subscription_id text, place bigint, due_at double precision) language sql stable rows 100 as $$
  select s.id, next.place, next.created_at
  from :schema.subscriptions s
    left join :schema.cursors c on c.workspace = s.workspace and c.subscription_id = s.id
    cross join lateral (
      select f.place, f.created_at
      from :schema.fan_outs f
      where f.workspace = owner and f.place > coalesce(c.reached, 0) and s.place = any (f.subscriptions)
      order by f.place
      limit 1
    ) next
  where s.workspace = owner
$$;

-- Makes rows of the next deliveries of a subscription, at most so many, and returns how many. The caller holds the lock of the subscription.
create function :schema.write_out(owner bigint, subscription text, most int) returns int language plpgsql as $$
#variable_conflict use_column
declare
  target record;
  written int;
begin
  select s.id, s.place, s.url, coalesce(c.reached, 0) as reached
  into target
  from :schema.subscriptions s left join :schema.cursors c on c.workspace = s.workspace and c.subscription_id = s.id
  where s.workspace = owner and s.id = subscription;

  with next as (
    select f.place, f.ids, f.created_at, array_position(f.subscriptions, target.place) as index
    from :schema.fan_outs f
    where f.workspace = owner and f.place > target.reached and target.place = any (f.subscriptions)
    order by f.place
    limit most
  ),
  added as (
    insert into :schema.deliveries (workspace, place, id, subscription_id, url, status, due_at)
    select owner, n.place + n.index - 1, n.ids[n.index], target.id, target.url, 'pending', n.created_at
    from next n
    order by n.place
  ),
  moved as (
    insert into :schema.cursors as c (workspace, subscription_id, reached)
    select owner, target.id, each.reached
    from (
      select case
        when count(*) = most then max(n.place)
        -- Nothing else is for this subscription, so it has reached the last message.
        else (select f.place from :schema.fan_outs f where f.workspace = owner order by f.place desc limit 1)
      end as reached
      from next n
    ) each
    where each.reached > target.reached
    on conflict (workspace, subscription_id) do update set reached = excluded.reached
  )
  select count(*) into written from next;
  return written;
end;
$$;

-- Makes rows of deliveries of all subscriptions, or of one: about so many. Returns how many.
create function :schema.write_out_waiting(workspace_id text, only_to text, most int) returns int language plpgsql as $$
#variable_conflict use_column
declare
  owner bigint;
  target text;
  written int := 0;
begin
  select w.number into owner from :schema.workspaces w where w.id = workspace_id;
  if (select f.place from :schema.fan_outs f where f.workspace = owner order by f.place limit 1) is null then
    return 0;
  end if;
  perform from :schema.workspaces w where w.number = owner for key share;
  for target in
    select l.subscription_id from :schema.lagging(owner) l where only_to is null or l.subscription_id = only_to order by 1
  loop
    perform pg_advisory_xact_lock(${keyOf('target')});
    perform from :schema.subscriptions s where s.workspace = owner and s.id = target for key share;
    if found then
      written := written + :schema.write_out(owner, target, most - written);
    end if;
    exit when written >= most;
  end loop;
  return written;
end;
$$;

-- Cancels deliveries that cannot be claimed again: a replica stopped with the claim, and the subscription was deleted.
create function :schema.cancel_abandoned(owner bigint, subscription text) returns void language sql as $$
  with abandoned as (
    select d.id
    from :schema.claims c join :schema.deliveries d on d.workspace = c.workspace and d.id = c.id
    where c.workspace = owner and c.subscription_id = subscription and c.lease_until <= clock_timestamp()
    order by d.id
    for no key update of d skip locked
  ),
  ended as (
    delete from :schema.claims c using abandoned a
    where c.workspace = owner and c.id = a.id and c.lease_until <= clock_timestamp()
    returning c.id
  )
  update :schema.deliveries d set status = 'cancelled', due_at = null
  from ended e
  where d.workspace = owner and d.id = e.id and d.status = 'pending'
$$;

-- A claim for a subscription.
create type :schema.wanted as (subscription_id text, now double precision, room int);

-- Claims deliveries. The outcome is 'claimed', or 'busy' for a subscription for which another transaction claims, with the index of what was
-- wanted.
create function :schema.claim_due(
  workspace_id text, claims_wanted :schema.wanted[], claim_token text, claim_holder text, claim_lease double precision,
  -- How many attempts of a subscription can run at once. Null: no limit.
  most_running int, most_running_while_failing int
) returns table (
  outcome text, of_index int, id text, subscription_id text, event text, url text, body bytea, status text, attempts text,
  redelivery_of text, due_at double precision, created_at double precision, subscription text
) language plpgsql as $$
#variable_conflict use_column
declare
  owner bigint;
  asked record;
  target record;
  room int;
begin
  -- Before any other lock, because what is written out locks it, too.
  select w.number into owner from :schema.workspaces w where w.id = workspace_id for key share;

  for asked in select * from unnest(claims_wanted) with ordinality as g (subscription_id, now, room, index) loop
    select s.record::text as record, case when s.failing then most_running_while_failing else most_running end as most
    into target
    from :schema.subscriptions s
    where s.workspace = owner and s.id = asked.subscription_id;
    if not found then
      perform :schema.cancel_abandoned(owner, asked.subscription_id);
      continue;
    end if;
    if not pg_try_advisory_xact_lock(${keyOf('asked.subscription_id')}) then
      -- The caller repeats this claim.
      outcome := 'busy';
      of_index := asked.index;
      return next;
      continue;
    end if;
    -- Makes a deletion of the subscription wait. One that has begun is not waited for.
    perform from :schema.subscriptions s where s.workspace = owner and s.id = asked.subscription_id for key share skip locked;
    if not found then
      continue;
    end if;

    room := asked.room;
    if target.most is not null then
      -- The order makes the planner use the index of the subscription, however many rows it assumes.
      select least(room, target.most - count(*)) into room
      from (
        select
        from :schema.claims c
        where c.workspace = owner and c.subscription_id = asked.subscription_id and c.lease_until > clock_timestamp()
        order by c.id
        limit target.most
      ) running;
    end if;
    if room <= 0 then
      continue;
    end if;

    perform :schema.write_out(owner, asked.subscription_id, room);
    return query
    with due as (
      select d.id
      from :schema.deliveries d
      where d.workspace = owner and d.subscription_id = asked.subscription_id and d.status = 'pending' and d.due_at <= asked.now
        and not exists (
          select from :schema.claims c where c.workspace = owner and c.id = d.id and c.lease_until > clock_timestamp()
        )
      order by d.due_at, d.place
      limit room
      -- One that is locked is being settled.
      for no key update of d skip locked
    ),
    claimed as (
      insert into :schema.claims as c (workspace, id, subscription_id, token, holder, lease_until)
      select owner, due.id, asked.subscription_id, claim_token, claim_holder,
        clock_timestamp() + claim_lease * interval '1 millisecond'
      from due
      on conflict (workspace, id) do update
      set token = excluded.token, holder = excluded.holder, lease_until = excluded.lease_until
      returning c.id
    )
    select 'claimed', asked.index::int, d.id, d.subscription_id, m.event, d.url, m.body, d.status,
      array_to_json(d.attempts)::text, d.redelivery_of, d.due_at, m.created_at, target.record
    from claimed c
      join :schema.deliveries d on d.workspace = owner and d.id = c.id
      join :schema.messages m on m.workspace = owner and m.place = :schema.message_of(d.place)
    order by d.due_at, d.place;
  end loop;
end;
$$;

-- An attempt of a claimed delivery, and the status of the delivery after it.
create type :schema.attempt as (
  id text, token text, number int, made text, failure boolean, status text, due_at double precision
);

-- Adds attempts to deliveries, and ends their claims. Returns the index and the status of each whose claim was the latest.
create function :schema.record_attempts(workspace_id text, attempts_made :schema.attempt[])
returns table (of_index int, status text) language plpgsql as $$
#variable_conflict use_column
declare
  owner bigint;
begin
  -- Before any other lock, because claims of the same transaction lock it, too.
  select w.number into owner from :schema.workspaces w where w.id = workspace_id for key share;
  perform :schema.lock_subscriptions(owner, array(
    select d.subscription_id
    from unnest((select attempts_made)) g join :schema.deliveries d on d.workspace = owner and d.id = g.id
    where g.status = 'pending'
  ));

  return query
  with attempted as (
    select g.*, d.subscription_id
    from unnest((select attempts_made)) with ordinality as g (id, token, number, made, failure, status, due_at, index)
      join :schema.deliveries d on d.workspace = owner and d.id = g.id and cardinality(d.attempts) + 1 = g.number
    order by d.id
    for no key update of d
  ),
  ended as (
    delete from :schema.claims c using attempted a
    where c.workspace = owner and c.id = a.id and c.token = a.token
    returning a.*
  ),
  recorded as (
    update :schema.deliveries d
    set attempts = array_append(d.attempts, e.made::json), status = after.status,
      due_at = case when after.status = 'pending' then e.due_at end
    from ended e, lateral (
      select case
        when e.status = 'pending' and not exists (
          select from :schema.subscriptions s where s.workspace = owner and s.id = e.subscription_id
        ) then 'cancelled'
        else e.status
      end as status
    ) after
    where d.workspace = owner and d.id = e.id
    returning e.index, e.failure, d.subscription_id, d.status, d.due_at
  ),
  latest as (
    select distinct on (r.subscription_id) r.subscription_id, r.failure
    from recorded r
    order by r.subscription_id, r.index desc
  ),
  turned as (
    select latest.subscription_id as id, latest.failure
    from latest, lateral (
      select from :schema.subscriptions s
      where s.workspace = owner and s.id = latest.subscription_id and s.failing <> latest.failure
      for no key update
    ) held
  ),
  told as (
    update :schema.subscriptions s set failing = turned.failure
    from turned
    where s.workspace = owner and s.id = turned.id
  ),
  woken as (
    select count(*) from recorded r, lateral :schema.wake_at(owner, 'deliveries', r.subscription_id, r.due_at)
    where r.status = 'pending'
  )
  select r.index::int, r.status
  from recorded r
  -- Always true. A subquery runs once, and a CTE that nothing refers to does not run.
  where (select count from woken) is not null;
end;
$$;

-- Ends claims without an attempt: the deliveries are due as before, or cancelled if their subscriptions were deleted.
create function :schema.release_deliveries(workspaces text[], ids text[], tokens text[]) returns void
language plpgsql as $$
#variable_conflict use_column
begin
  perform from (
    select distinct w.number as workspace, d.subscription_id as id
    from unnest((select workspaces), (select ids)) as given (workspace_id, id)
      join :schema.workspaces w on w.id = given.workspace_id
      join :schema.deliveries d on d.workspace = w.number and d.id = given.id
    order by 1, 2
  ) target, lateral (
    select from :schema.subscriptions s where s.workspace = target.workspace and s.id = target.id for key share
  ) held;

  with ended as (
    delete from :schema.claims c
    using unnest((select workspaces), (select ids), (select tokens)) as given (workspace_id, id, token)
      join :schema.workspaces w on w.id = given.workspace_id
    where c.workspace = w.number and c.id = given.id and c.token = given.token
    returning c.workspace, c.id, c.subscription_id
  )
  update :schema.deliveries d set status = 'cancelled', due_at = null
  from ended e
  where d.workspace = e.workspace and d.id = e.id and d.status = 'pending' and not exists (
    select from :schema.subscriptions s where s.workspace = e.workspace and s.id = e.subscription_id
  );
end;
$$;
`;
