/** The indexes of pages. A page has the records of a workspace in the order of their places. */
export const pages = `
-- Returns a hash of the first value with this name in JSON, up to a quote.
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
`;
