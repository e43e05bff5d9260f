/**
 * The tables that replicas share in addition to the records, and the functions that find due work. `:schema` is the schema, and `:jobs` that of the jobs
 * of graphile-worker, quoted.
 */
export const replicas = `
-- The row of a workspace is locked while entries are added, so that their numbers have the order of the commits and no gaps.
create table :schema.journals (
  workspace bigint primary key references :schema.workspaces on delete cascade,
  latest bigint not null default 0,
  latest_gone bigint not null default 0,
  clears bigint not null default 0
);

-- Without a foreign key, which would be checked for each entry. A trigger deletes the entries of a workspace.
create table :schema.journal (
  workspace bigint not null,
  number bigint not null,
  entry json not null,
  at timestamptz not null default now(),
  primary key (workspace, number)
);

-- The last batch of each writer, so that a batch is added once even if its response was lost. Without a foreign key, as above.
create table :schema.journal_writers (
  workspace bigint not null,
  writer uuid not null,
  batch bigint not null,
  written_at timestamptz not null default now(),
  primary key (workspace, writer)
);

-- The requests of the current period. After a crash of the database, a new period begins.
create unlogged table :schema.admissions (
  workspace bigint primary key,
  started_at double precision not null,
  requests bigint not null
);

create table :schema.replicas (
  name text primary key,
  seen_at timestamptz not null
);

-- The tasks that one replica does for all, and when each was last done.
create table :schema.chores (
  name text primary key,
  done_at timestamptz not null
);
insert into :schema.chores values ('sweep', '-infinity'), ('retention', '-infinity');

-- How many finished records of a workspace were deleted to make room.
create table :schema.forgotten (
  workspace bigint primary key references :schema.workspaces on delete cascade,
  sends bigint not null default 0,
  deliveries bigint not null default 0,
  journey_runs bigint not null default 0
);

-- The machine's time determines the age of records, because a test can move the workspace's time to any year.
alter table :schema.deliveries add column written_at timestamptz not null default now();
alter table :schema.sends add column written_at timestamptz not null default now();
alter table :schema.journey_runs add column written_at timestamptz not null default now();
alter table :schema.events add column written_at timestamptz not null default now();
create index on :schema.deliveries (written_at) where status <> 'pending';
create index on :schema.sends (written_at) where status = 'sent';
create index on :schema.journey_runs (written_at) where status <> 'waiting';
create index on :schema.deliveries (workspace, due_at) where status = 'pending';
-- The rows that are claimed, including the claims of stopped replicas.
create index on :schema.journey_runs (workspace) where token is not null;

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
create or replace function :schema.wake_at(workspace bigint, kind text, id text, due_at double precision) returns void
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

-- Adds the jobs of a workspace again after its clock changed. If there are more than a thousand, the sweep finds the later ones.
create or replace function :schema.wake_all(workspace bigint) returns void
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
      select 'deliveries' as kind, subscription_id as id, min(deliveries.due_at) as due_at
      from :schema.deliveries
      where deliveries.workspace = wake_all.workspace and status = 'pending'
      group by subscription_id
      order by min(deliveries.due_at)
      limit 1000
    )
    union all
    (
      select 'journey_run', journey_runs.id, journey_runs.due_at
      from :schema.journey_runs
      where journey_runs.workspace = wake_all.workspace and status = 'waiting'
      order by journey_runs.due_at
      limit 1000
    )
  ) due
  where w.number = wake_all.workspace and w.clock_flow = 'flowing';
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
  perform :schema.tell(old.id, 'workspace');
  return null;
end
$$;
create trigger workspace_deleted after delete on :schema.workspaces
for each row execute function :schema.workspace_deleted();
`;
