import type { PostgresPool } from '../options.js';

/** How long to wait for a connection, and for a statement. In milliseconds. */
export const longestConnecting = 5_000;
export const longestStatement = 10_000;

/**
 * Every statement on a request's way goes by an index. What the planner knows of a table can be a minute old, in which a new
 * table grows from nothing to a million rows: it is not to read them all because it knows of none.
 */
const byIndexes = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin']
  .map((method) => `-c enable_${method}=off`)
  .join(' ');

/** Makes a pool of `pg`, which is loaded now: whoever gives a pool, or has another store, need not have it. */
export async function makePool(connectionString: string, max: number): Promise<PostgresPool> {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new Error(
      'A store in PostgreSQL needs the package "pg", which is not installed. Run: npm install pg graphile-worker',
      { cause },
    );
  });
  return new pg.Pool({
    connectionString,
    max,
    options: byIndexes,
    application_name: 'messaging-automation',
    connectionTimeoutMillis: longestConnecting,
    statement_timeout: longestStatement,
    // A process that is stopped in the middle of a transaction keeps its locks no longer.
    idle_in_transaction_session_timeout: longestStatement,
    keepAlive: true,
  });
}
