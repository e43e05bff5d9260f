/** The records of all workspaces. `:schema` is the schema, quoted. */
export const records = `
-- Texts that people choose are as \`toText\` writes them.

create table :schema.workspaces (
  number bigint generated always as identity primary key,
  id text not null unique,
  -- The state of the clock that replicas share. The position of a frozen clock is its time. The position of a flowing clock
  -- is how far it is ahead of the machine's, in milliseconds.
  revision bigint not null default 1,
  clock_flow text not null default 'flowing' check (clock_flow in ('flowing', 'frozen')),
  clock_position double precision not null default 0,
  settings json not null default '{}',
  beginning json,
  -- The replica that moves the clock, and until when.
  mover text,
  mover_until timestamptz
);

create table :schema.api_keys (
  digest text primary key,
  workspace bigint not null references :schema.workspaces on delete cascade
);
create index on :schema.api_keys (workspace);

-- A server that starts with a revoked key must not make it valid again.
create table :schema.revoked_keys (
  workspace bigint not null references :schema.workspaces on delete cascade,
  digest text not null,
  primary key (workspace, digest)
);

create table :schema.quotas (
  workspace bigint primary key references :schema.workspaces on delete cascade,
  quota bigint not null,
  add_on_credits bigint not null
);

-- Templates, segments and journeys, in the order of \`place\`.
create table :schema.definitions (
  workspace bigint not null references :schema.workspaces on delete cascade,
  kind text not null check (kind in ('template', 'segment', 'journey')),
  id text not null,
  place bigint generated always as identity,
  -- The event that starts the journey.
  event text,
  record json not null,
  primary key (workspace, kind, id)
);

create table :schema.contacts (
  workspace bigint not null references :schema.workspaces on delete cascade,
  place bigint generated always as identity,
  id text not null,
  phone text not null,
  consent text not null default 'unknown' check (consent in ('unknown', 'opted_in', 'opted_out')),
  properties json not null,
  -- Changes with every update. A caller that read an older version tries again.
  version bigint not null default 1,
  primary key (workspace, id),
  unique (workspace, phone)
);

create table :schema.events (
  workspace bigint not null references :schema.workspaces on delete cascade,
  place bigint generated always as identity,
  id text not null,
  contact_id text not null,
  event text not null,
  accepted_at double precision not null,
  properties json not null,
  processed boolean not null default false,
  token text,
  holder text,
  lease_until timestamptz,
  primary key (workspace, id),
  foreign key (workspace, contact_id) references :schema.contacts on delete cascade
);
-- By the hash of the event's name, because the name can be too long for an index.
create index on :schema.events (workspace, contact_id, hashtextextended(event, 0), accepted_at);
create index on :schema.events (workspace, place) where not processed;

create table :schema.journey_runs (
  workspace bigint not null references :schema.workspaces on delete cascade,
  place bigint generated always as identity,
  id text not null,
  contact_id text not null,
  status text not null check (status in ('waiting', 'finished', 'failed')),
  due_at double precision not null,
  record json not null,
  token text,
  holder text,
  lease_until timestamptz,
  primary key (workspace, id),
  foreign key (workspace, contact_id) references :schema.contacts on delete cascade
);
create index on :schema.journey_runs (workspace, contact_id);
create index on :schema.journey_runs (workspace, due_at) where status = 'waiting';

create table :schema.sends (
  workspace bigint not null references :schema.workspaces on delete cascade,
  place bigint generated always as identity,
  id text not null,
  status text not null check (status in ('pending', 'sent')),
  paid_by text not null check (paid_by in ('plan', 'add_on')),
  record json not null,
  -- The journey run and the step that sends it, so that a repeated step sends no second message.
  run_id text,
  run_position int,
  token text,
  holder text,
  lease_until timestamptz,
  primary key (workspace, id),
  unique (workspace, run_id, run_position)
);
create index on :schema.sends (workspace, place) where status = 'pending';

create table :schema.subscriptions (
  workspace bigint not null references :schema.workspaces on delete cascade,
  place bigint generated always as identity,
  id text not null,
  url text not null,
  record json not null,
  -- Whether its last attempt failed. If so, fewer attempts can run at once.
  failing boolean not null default false,
  primary key (workspace, id)
);

create table :schema.deliveries (
  workspace bigint not null references :schema.workspaces on delete cascade,
  place bigint generated always as identity,
  id text not null,
  -- Without a foreign key, because a delivery stays when its subscription is deleted.
  subscription_id text not null,
  event text not null,
  url text not null,
  body bytea not null,
  status text not null check (status in ('pending', 'delivered', 'failed', 'cancelled')),
  attempts json[] not null default '{}',
  redelivery_of text,
  due_at double precision,
  created_at double precision not null,
  token text,
  holder text,
  lease_until timestamptz,
  primary key (workspace, id)
);
create index on :schema.deliveries (workspace, subscription_id, due_at, place) where status = 'pending';
-- The deliveries that are claimed, including the claims of stopped replicas.
create index on :schema.deliveries (workspace, subscription_id) where token is not null;
`;
