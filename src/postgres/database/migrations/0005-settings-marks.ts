/** The settings of a workspace get a mark, instead of a number that grows. */
export const settingsMarks = `
-- Another, random one after each change. A number that grows would say nothing about a database that went back to a backup.
alter table :schema.workspaces drop column revision;
alter table :schema.workspaces add column mark uuid not null default gen_random_uuid();
`;
