/** Old processed events are deleted, like other records that are over. */
export const oldEvents = `
create index on :schema.events (written_at) where processed;
alter table :schema.forgotten add column events bigint not null default 0;
`;
