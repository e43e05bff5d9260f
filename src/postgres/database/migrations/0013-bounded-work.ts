/** What lets the background work in steps, and lets it skip what is idle. */
export const boundedWork = `
-- When the first entry that is kept was written, or earlier. So the journals with old entries are found by an index.
alter table :schema.journals add column oldest_at timestamptz not null default '-infinity';
alter table :schema.journals alter column oldest_at set default now();
create index on :schema.journals (oldest_at);

-- A deleted workspace has an id that no text has, and goes on existing until its rows are gone.
alter table :schema.workspaces add column deleted_at timestamptz;
create index on :schema.workspaces (deleted_at) where deleted_at is not null;
`;
