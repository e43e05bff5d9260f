/** SQL: the tables with these names need fewer rows for an analysis. */
export function fewerStatistics(tables: string): string {
  return `
-- An analysis reads 6,000 rows of these tables, which is enough for their plans. By default it reads 30,000, and takes a processor
-- for a second each time that a table has grown.
do $$
declare
  target record;
begin
  for target in
    select format('table %s alter column %I', c.oid::regclass, a.attname) as name
    from pg_namespace n join pg_class c on c.relnamespace = n.oid join pg_attribute a on a.attrelid = c.oid
    where n.nspname = :channel and a.attnum > 0 and not a.attisdropped
      and c.relname in (${tables})
    union all
    -- The columns of indexes that are expressions have statistics of their own.
    select format('index %s alter column %s', i.indexrelid::regclass, place + 1)
    from pg_namespace n join pg_class c on c.relnamespace = n.oid join pg_index i on i.indrelid = c.oid,
      generate_subscripts(i.indkey, 1) place
    where n.nspname = :channel and i.indkey[place] = 0
  loop
    execute 'alter ' || target.name || ' set statistics 20';
  end loop;
end
$$;
`;
}

/** What the second version adds to the tables of version 0.1.0. */
export const secondVersion = `
-- The functions of version 0.1.0, with their trigger. A later step creates those of this version.
do $$
declare
  old regprocedure;
begin
  for old in select p.oid from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = :channel loop
    execute 'drop function ' || old || ' cascade';
  end loop;
end
$$;

-- The last column of an index gives claimed rows an order. A query that asks for the first rows in that order uses the index,
-- however many rows the planner assumes.
drop index :schema.deliveries_workspace_subscription_id_idx;
create index on :schema.deliveries (workspace, subscription_id, id) where token is not null;
drop index :schema.journey_runs_workspace_idx;
create index on :schema.journey_runs (workspace, id) where token is not null;

-- A place for rows that cannot be read.
create table :schema.set_aside (
  workspace bigint not null references :schema.workspaces on delete cascade,
  -- The table of the row.
  kind text not null,
  id text not null,
  reason text not null,
  -- The row as text, which can be cast to the type of its table.
  content text not null,
  at timestamptz not null default now()
);
create index on :schema.set_aside (workspace);

-- Old processed events are deleted, like other records that are over.
create index on :schema.events (written_at) where processed;
alter table :schema.forgotten add column events bigint not null default 0;

-- Fields of the JSON that version 0.1.0 wrote are found by their places, because users have the same names and texts in it. Expressions
-- begin where the JSON does, with the fields that come first. Functions for JSON would fail for a text with NUL.

-- Version 0.1.0 kept the secrets of subscriptions in the responses of their operations. In the text of a response, a backslash is before a quote.
update :schema.journal
set entry = regexp_replace(entry::text, '(\\\\")whsec_[[:alnum:]_+/=.-]+', '\\1whsec_***', 'g')::json
where entry::text ~ '^\\{"type":"request","at":[^,]+,"requestId":"[^"]*","operation":"webhooks\\.' and position('whsec_' in entry::text) > 0;

-- Version 0.1.0 had other names for the response of a receiver, in journals, deliveries and settings. An attempt has no names that users choose.
update :schema.journal
set entry = regexp_replace(
  entry::text,
  '^(\\{"type":"request",(?:"(?:at|requestId|operation|method|path|status)":(?:"(?:[^"\\\\]|\\\\.)*"|[^",]+),)+)"answer":',
  '\\1"responseBody":'
)::json
where left(entry::text, 17) = '{"type":"request"';
update :schema.journal set entry = replace(entry::text, '"answer":', '"responseBody":')::json
where left(entry::text, 17) = '{"type":"attempt"';
update :schema.deliveries
set attempts = array(
  select replace(attempt::text, '"answer":', '"responseBody":')::json from unnest(attempts) with ordinality as each(attempt, place) order by place
)
where cardinality(attempts) > 0;
alter table :schema.workspaces rename column beginning to initial_state;
-- Of \`specGaps\`, no text has a brace.
update :schema.workspaces
set settings = regexp_replace(settings::text, '^(\\{"specGaps":\\{(?:[^{}]|\\{[^{}]*\\})*)"updateAnswer":', '\\1"updateResponse":')::json,
    initial_state = regexp_replace(
      initial_state::text,
      '^(\\{"settings":\\{(?:"\\w+":(?:"[^"]*"|[^",{]+),)*"specGaps":\\{(?:[^{}]|\\{[^{}]*\\})*)"updateAnswer":',
      '\\1"updateResponse":'
    )::json;

-- When the first entry that is kept was written, or earlier. So the journals with old entries are found by an index.
alter table :schema.journals add column oldest_at timestamptz not null default '-infinity';
alter table :schema.journals alter column oldest_at set default now();
create index on :schema.journals (oldest_at);

-- A deleted workspace has an id that no text has, and goes on existing until its rows are gone.
alter table :schema.workspaces add column deleted_at timestamptz;
create index on :schema.workspaces (deleted_at) where deleted_at is not null;

-- The indexes of pages, which have the records of a workspace in the order of their places. The function returns a hash of the first value with this name in JSON, up to a quote.
create function :schema.hash_of(written text, name text) returns bigint language sql immutable parallel safe as $$
  select hashtextextended(split_part(split_part(written, '"' || name || '":"', 2), '"', 1), 0)
$$;

create index on :schema.contacts (workspace, place);
create index on :schema.contacts (workspace, consent, place);
create index on :schema.events (workspace, place);
-- By another hash than the index of a contact's events, so that the planner does not take this one to count them.
create index on :schema.events (workspace, hashtextextended(event, 1), place);
create index on :schema.journey_runs (workspace, place);
create index on :schema.sends (workspace, place) where status = 'sent';
create index on :schema.sends (workspace, :schema.hash_of(record::text, 'contactId'), place) where status = 'sent';
create index on :schema.sends (workspace, :schema.hash_of(record::text, 'phone'), place) where status = 'sent';
create index on :schema.sends (workspace, :schema.hash_of(record::text, 'templateId'), place) where status = 'sent';
create index on :schema.sends (workspace, :schema.hash_of(record::text, 'text'), place) where status = 'sent';
create index on :schema.sends (workspace, :schema.hash_of(record::text, 'journeyRunId'), place) where status = 'sent';
create index on :schema.deliveries (workspace, place);
create index on :schema.deliveries (workspace, status, place);
create index on :schema.deliveries (workspace, subscription_id, place);
create index on :schema.deliveries (workspace, :schema.hash_of(encode(body, 'escape'), 'contactId'), place);
create index on :schema.deliveries (workspace, :schema.hash_of(encode(body, 'escape'), 'phone'), place);
${fewerStatistics("'contacts', 'events', 'journey_runs', 'sends', 'deliveries', 'journal'")}`;
