import type { Pool } from 'pg';

const tables = ['events', 'journey_runs', 'sends', 'claims'];

/** The rows of a workspace whose claim still runs although nothing is left to do. */
export async function problemsWithClaims(
  pool: Pool,
  schema: string,
  workspaceId: string,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const table of tables) {
    const { rows } = await pool.query<{ id: string; holder: string }>(
      `select id, holder from ${schema}.${table}
       where workspace in (select number from ${schema}.workspaces where id = $1) and lease_until > clock_timestamp()`,
      [workspaceId],
    );
    problems.push(...rows.map(({ id, holder }) => `the row ${id} of ${table} is still claimed by ${holder}`));
  }
  return problems;
}
