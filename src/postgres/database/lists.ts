/**
 * Writes the SQL for the rows of several lists, with their index as the last column.
 *
 * Each list is a subquery, so that the planner does not see its length and assumes ten rows. If it saw a thousand rows, it might
 * read a whole table instead of a thousand lookups, and for ten rows it prepares a plan once for all lengths.
 */
export function rowsOf(...lists: readonly string[]): string {
  return `unnest(${lists.map((list) => `(select ${list})`).join(', ')}) with ordinality`;
}

/** Writes the SQL that makes `last_place` wait for this transaction, which numbers rows of a workspace. The row of the workspace is `w`. */
export const lockPlaces = 'pg_advisory_xact_lock_shared(w.tableoid::int, hashint8(w.number))';
