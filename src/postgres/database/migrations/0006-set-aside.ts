/** A place for rows that cannot be read. */
export const setAside = `
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
`;
