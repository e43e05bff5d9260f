/**
 * The last column of an index gives claimed rows an order. A query that asks for the first rows in that order uses the index,
 * however many rows the planner assumes.
 */
export const indexes = `
drop index :schema.deliveries_workspace_subscription_id_idx;
create index on :schema.deliveries (workspace, subscription_id, id) where token is not null;
drop index :schema.journey_runs_workspace_idx;
create index on :schema.journey_runs (workspace, id) where token is not null;
`;
