import { placesOfMessage } from '../migrations/0006-outbox.js';
import { rowsOf } from '../text.js';

/** SQL: the row has no running lease. */
const isFree = (row: string) => `(${row}.lease_until is null or ${row}.lease_until <= statement_timestamp())`;

/**
 * Functions of the maintenance, which finds due work and adds jobs for it, and deletes old entries. `:jobs` is the schema of the jobs of graphile-worker, quoted.
 */
export const dueWorkFunctions = `
create function :schema.job_key(kind text, workspace bigint, id text) returns text
language sql immutable as $$
  -- The key of a job has at most 512 characters.
  select $1 || ':' || $2 || ':' || case when length($3) <= 400 then $3 else md5($3) end
$$;

-- Adds a job for each due item, and replaces a waiting job for the same item. Sorted, so that two calls cannot deadlock.
create function :schema.add_due_jobs(workspaces bigint[], kinds text[], ids text[], times timestamptz[]) returns void
language plpgsql as $$
begin
  perform :jobs.add_jobs(array_agg(due.job order by due.key))
  from (
    select
      :schema.job_key(kind, workspace, due.id) as key,
      row(
        'due',
        json_build_object('workspace', w.id, 'kind', kind, 'id', due.id),
        null,
        run_at,
        1,
        :schema.job_key(kind, workspace, due.id),
        null,
        null
      ):::jobs.job_spec as job
    from unnest(workspaces, kinds, ids, times) as due (workspace, kind, id, run_at)
    join :schema.workspaces w on w.number = workspace
  ) due
  having count(*) > 0;
end
$$;

-- Converts a time of a workspace with a flowing clock to the machine's time, within the range of timestamps.
create function :schema.machine_time(due_at double precision, ahead double precision) returns timestamptz
language sql immutable as $$
  select to_timestamp(least(greatest((due_at - ahead) / 1000, -62135596800), 253402300799))
$$;

-- Adds a job, except if an earlier job waits for the same item. Two concurrent transactions do not see each other's job, so the
-- later job may remain. Then the sweep finds the row when it is due. A frozen clock needs no job, because the call that moves it
-- finds the due work.
create function :schema.wake_at(workspace bigint, kind text, id text, due_at double precision) returns void
language plpgsql as $$
begin
  perform :schema.add_due_jobs(
    array[wake_at.workspace], array[wake_at.kind], array[wake_at.id], array[due.run_at]
  )
  from (
    select :schema.machine_time(wake_at.due_at, w.clock_position) as run_at
    from :schema.workspaces w
    where w.number = wake_at.workspace and w.clock_flow = 'flowing'
  ) due
  where not exists (
    select
    from :jobs.jobs
    where
      jobs.key = :schema.job_key(wake_at.kind, wake_at.workspace, wake_at.id)
      and jobs.locked_at is null
      and jobs.attempts < jobs.max_attempts
      and jobs.run_at <= due.run_at
  );
end
$$;

-- Returns each subscription with pending deliveries in a workspace, and when its first one is due. Each step skips the other
-- deliveries of a subscription. Those that are not rows yet were due when their message came.
create function :schema.waited_for(owner bigint)
returns table (subscription_id text, due_at double precision) language sql stable rows 100 as $$
  with recursive rows_of as (
    (
      select d.subscription_id, d.due_at
      from :schema.deliveries d
      where d.status = 'pending' and d.workspace = owner
      order by d.subscription_id, d.due_at
      limit 1
    )
    union all
    select next.*
    from rows_of r, lateral (
      select d.subscription_id, d.due_at
      from :schema.deliveries d
      where d.status = 'pending' and d.workspace = owner and d.subscription_id > r.subscription_id
      order by d.subscription_id, d.due_at
      limit 1
    ) next
  )
  select each.subscription_id, min(each.due_at)
  from (select r.* from rows_of r union all select l.subscription_id, l.due_at from :schema.lagging(owner) l) each
  group by each.subscription_id
$$;

-- Adds the jobs of a workspace again after its clock changed. If there are more than a thousand, the sweep finds the later ones.
create function :schema.wake_all(workspace bigint) returns void
language plpgsql as $$
begin
  perform :schema.add_due_jobs(
    array_agg(w.number),
    array_agg(due.kind),
    array_agg(due.id),
    array_agg(:schema.machine_time(due.due_at, w.clock_position))
  )
  from :schema.workspaces w
  cross join (
    (
      select 'deliveries' as kind, d.subscription_id as id, d.due_at
      from :schema.waited_for(wake_all.workspace) d
      order by d.due_at
      limit 1000
    )
    union all
    (
      select 'journey_run', r.id, r.due_at
      from :schema.journey_runs r
      where r.workspace = wake_all.workspace and r.status = 'waiting'
      order by r.due_at
      limit 1000
    )
  ) due
  where w.number = wake_all.workspace and w.clock_flow = 'flowing';
end
$$;

-- Returns the time of a workspace.
create function :schema.time_of(workspace bigint) returns double precision
language sql stable as $$
  select case w.clock_flow
    when 'flowing' then extract(epoch from statement_timestamp())::double precision * 1000 + w.clock_position
    else w.clock_position
  end
  from :schema.workspaces w
  where w.number = time_of.workspace
$$;

-- Returns the unclaimed due work of all workspaces: at most so many rows for each kind of work of a workspace. \`count\` is the
-- number of rows that are due, with one for all deliveries of a subscription, and \`expired\` how many of them have an expired claim.
create function :schema.due_work(most int)
returns table (workspace bigint, kind text, id text, count bigint, expired bigint) language plpgsql stable rows 100 as $$
#variable_conflict use_column
declare
  owner bigint := 0;
  now double precision;
begin
  loop
    -- Skips to the next workspace in which something waits.
    select least(
      (select d.workspace from :schema.deliveries d where d.status = 'pending' and d.workspace > owner order by d.workspace limit 1),
      (select f.workspace from :schema.fan_outs f where f.workspace > owner order by f.workspace limit 1),
      (select r.workspace from :schema.journey_runs r where r.status = 'waiting' and r.workspace > owner order by r.workspace limit 1),
      (select e.workspace from :schema.events e where not e.processed and e.workspace > owner order by e.workspace limit 1),
      (select s.workspace from :schema.sends s where s.status = 'pending' and s.workspace > owner order by s.workspace limit 1)
    ) into owner;
    exit when owner is null;
    now := :schema.time_of(owner);

    return query
    select owner, 'deliveries', d.subscription_id, 1::bigint, claims.expired
    from :schema.waited_for(owner) d
      cross join lateral (
        select count(*) filter (where ${isFree('c')}) as expired, count(*) filter (where not ${isFree('c')}) as running
        from (
          select c.lease_until
          from :schema.claims c
          where c.workspace = owner and c.subscription_id = d.subscription_id
          order by c.id
          limit most
        ) c
      ) claims
    where claims.expired > 0
      -- The replica of a running attempt claims the next delivery after it.
      or claims.running = 0 and d.due_at <= now;

    return query
    select owner, 'journey_run', r.id, 1::bigint, (r.token is not null)::int::bigint
    from :schema.journey_runs r
    where r.workspace = owner and r.status = 'waiting' and r.due_at <= now and ${isFree('r')}
    order by r.due_at
    limit most;

    return query
    select owner, 'events', '', count(*), count(each.token)
    from (
      select e.token
      from :schema.events e
      where e.workspace = owner and not e.processed and e.written_at < statement_timestamp() - interval '1 second'
        and ${isFree('e')}
      order by e.place
      limit most
    ) each
    having count(*) > 0;

    return query
    select owner, 'sends', '', count(*), count(each.token)
    from (
      select s.token
      from :schema.sends s
      where s.workspace = owner and s.status = 'pending' and ${isFree('s')}
      order by s.place
      limit most
    ) each
    having count(*) > 0;
  end loop;
end
$$;

-- Deletes the fan-outs of which all deliveries are rows, at most so many of each workspace.
create function :schema.end_fan_outs(most int) returns void language plpgsql as $$
declare
  owner bigint := 0;
  lagging record;
begin
  loop
    select f.workspace into owner from :schema.fan_outs f where f.workspace > owner order by f.workspace limit 1;
    exit when not found;
    -- One statement, because messages that appear after it are not among those that it saw.
    select
      (select f.place from :schema.fan_outs f where f.workspace = owner order by f.place desc limit 1) as latest,
      array_agg(l.subscription_id) as ids,
      min(l.place) as place
    into lagging
    from :schema.lagging(owner) l;
    -- The other subscriptions have reached the latest message. A cursor that is locked is moving.
    update :schema.cursors c set reached = lagging.latest
    where c.workspace = owner and c.subscription_id = any (array(
      select other.subscription_id
      from :schema.cursors other
      where other.workspace = owner and other.reached < lagging.latest
        and (other.subscription_id = any (lagging.ids)) is not true
      for no key update skip locked
    )) and c.reached < lagging.latest;
    delete from :schema.fan_outs f
    where f.workspace = owner and f.place = any (array(
      select done.place
      from :schema.fan_outs done
      where done.workspace = owner and done.place <= lagging.latest and (done.place >= lagging.place) is not true
      order by done.place
      limit most
    ));
  end loop;
end
$$;

-- Deletes finished deliveries that are older than \`age\`, in milliseconds, at most so many, and the messages of which they were the last.
create function :schema.forget_deliveries(age double precision, most int) returns int language plpgsql as $$
declare
  workspaces bigint[];
  places bigint[];
begin
  with deleted as (
    delete from :schema.deliveries
    where ctid = any (array(
      select d.ctid
      from :schema.deliveries d
      where d.status <> 'pending' and d.written_at < now() - age * interval '1 millisecond'
      order by d.written_at
      limit most
      for update skip locked
    ))
    returning workspace, place
  ), counted as (
    insert into :schema.forgotten as forgotten (workspace, deliveries)
    select d.workspace, count(*) from deleted d group by d.workspace order by d.workspace
    on conflict (workspace) do update set deliveries = forgotten.deliveries + excluded.deliveries
  )
  select array_agg(d.workspace), array_agg(d.place) into workspaces, places from deleted d;

  delete from :schema.messages m
  using (select distinct g.workspace, :schema.message_of(g.place) as place from ${rowsOf('workspaces', 'places')} as g (workspace, place, index)) last
  where m.workspace = last.workspace and m.place = last.place
    and not exists (
      select from :schema.deliveries d
      where d.workspace = last.workspace and d.place >= last.place and d.place < last.place + ${placesOfMessage}
    )
    and not exists (select from :schema.fan_outs f where f.workspace = last.workspace and f.place = last.place);
  return coalesce(cardinality(places), 0);
end
$$;

-- Deletes about \`most\` journal entries that are older than \`age\`, in milliseconds, and returns how many. It deletes by number,
-- because the oldest have the smallest numbers.
create function :schema.forget_entries(age double precision, most int) returns int language plpgsql as $$
declare
  owner bigint;
  last bigint;
  deleted int;
  forgotten int := 0;
  oldest timestamptz := now() - age * interval '1 millisecond';
begin
  for owner in select j.workspace from :schema.journals j where j.oldest_at < oldest order by j.oldest_at limit most loop
    select coalesce(max(entry.number), 0) into last
    from (
      select e.number, e.at from :schema.journal e where e.workspace = owner order by e.number limit most
    ) entry
    where entry.at < oldest;
    -- Locks the journal, so that no entry is added until the commit.
    update :schema.journals j
    set latest_gone = greatest(j.latest_gone, last), oldest_at = coalesce(
      (select e.at from :schema.journal e where e.workspace = owner and e.number > last order by e.number limit 1), now()
    )
    where j.workspace = owner;
    delete from :schema.journal d
    where d.workspace = owner and d.number = any (array(
      select e.number
      from :schema.journal e
      where e.workspace = owner and e.number <= last
      order by e.number
      limit most
    ));
    get diagnostics deleted = row_count;
    forgotten := forgotten + deleted;
    exit when forgotten >= most;
  end loop;
  return forgotten;
end
$$;

-- Notifies the replicas on the channel with the name of the schema. A notice has at most 8,000 bytes. If the id is too long, it
-- is omitted, and the replicas assume that anything may have changed.
create function :schema.tell(workspace_id text, part text) returns void
language sql as $$
  select pg_notify(
    :channel,
    json_build_array(case when octet_length(to_json(workspace_id)::text) <= 7000 then workspace_id end, part)::text
  )
$$;

create function :schema.workspace_deleted() returns trigger
language plpgsql as $$
begin
  delete from :schema.journal where workspace = old.number;
  delete from :schema.journal_writers where workspace = old.number;
  delete from :schema.admissions where workspace = old.number;
  perform :jobs.remove_job(jobs.key)
  from :jobs.jobs
  where jobs.task_identifier = 'due' and split_part(jobs.key, ':', 2) = old.number::text;
  return null;
end
$$;
create trigger workspace_deleted after delete on :schema.workspaces
for each row execute function :schema.workspace_deleted();
`;
