/**
 * Writes the SQL for the rows of several lists, with their index as the last column.
 *
 * Each list is a subquery, so that the planner does not see its length and assumes ten rows. If it saw a thousand rows, it might
 * read a whole table instead of a thousand lookups, and for ten rows it prepares a plan once for all lengths.
 */
export function rowsOf(...lists: readonly string[]): string {
  return `unnest(${lists.map((list) => `(select ${list})`).join(', ')}) with ordinality`;
}
