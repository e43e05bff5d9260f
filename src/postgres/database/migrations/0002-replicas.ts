/** The tables that replicas share in addition to the records. */
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
`;
