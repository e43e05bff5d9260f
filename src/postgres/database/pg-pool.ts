import type { PostgresPool } from '../options.js';

/** How long to wait for a connection, and for a statement. In milliseconds. */
export const longestConnecting = 5_000;
export const longestStatement = 10_000;

/** Creates a pool of `pg`. Loads `pg` only here, because users with their own pool, or with no such store, do not need it. */
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
    application_name: 'messaging-automation',
    connectionTimeoutMillis: longestConnecting,
    keepAlive: true,
  });
}
