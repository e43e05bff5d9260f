import { Pool } from 'pg';
import { onTestFinished } from 'vitest';
import { endPool } from '../../run/postgres-server.js';
import type { usePostgres } from './database.js';
import { explainAll, faultsOf, Watch } from './plans.js';

/**
 * The most rows of a growing table that a step of a statement may read. A cleared journal has 10,000, and without statistics the steps
 * over what waits can read all of that. A workspace has 25,000.
 */
const mostRows = 20_000;

/** Creates a database that explains every statement, for the current test. */
export async function startExplainedDatabase({
  connectionString,
  server,
}: ReturnType<ReturnType<typeof usePostgres>>) {
  const name = `plans_${Date.now()}`;
  await server.pool.query(`create database ${name}`);
  await explainAll(server.pool, name);
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  const watch = new Watch();
  const pool = new Pool({
    connectionString: url.href,
    max: 2,
    // What the test itself does is neither explained nor checked by foreign keys.
    options: '-c auto_explain.log_min_duration=-1 -c session_replication_role=replica',
  });
  onTestFinished(async () => {
    await endPool(pool);
    watch[Symbol.dispose]();
    await server.pool.query(`drop database ${name} with (force)`);
  });
  const faults = () => [...new Set(watch.take().flatMap((statement) => faultsOf(statement, mostRows)))];
  return { connectionString: url.href, pool, watch, faults };
}
