import type { OptionCheck } from '../../foundation/options.js';

function after(parameter: string): string {
  return `now() + ${parameter}::float8 * interval '1 millisecond'`;
}

/** A name that needs no escaping. The name of the index contains it, and has at most PostgreSQL's 63 characters. */
export const aTableName: OptionCheck = [
  (value) => typeof value === 'string' && /^(?:[a-z_][a-z0-9_]{0,47}\.)?[a-z_][a-z0-9_]{0,47}$/.test(value),
  'a name of lowercase letters, digits and underscores, 48 at the most, with a schema before it or without',
];

/** The statements of a dedupe store on one table. A row with a holder is a claim. A row without a holder is done. */
export function postgresStatements(name: string) {
  const table = `"${name.replace('.', '"."')}"`;
  const tableName = name.slice(name.indexOf('.') + 1);
  const schema = `CREATE TABLE IF NOT EXISTS ${table} (
  key text PRIMARY KEY,
  holder text,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS "${tableName}_expires_at" ON ${table} (expires_at);`;
  return {
    schema,
    isMigrated: `
SELECT to_regclass('${table}') IS NOT NULL AND to_regclass('${table.slice(0, -1)}_expires_at"') IS NOT NULL AS is_migrated`,
    // Take a lock, because one of two concurrent creations fails despite IF NOT EXISTS. All of this is one transaction.
    migrate: `SELECT pg_advisory_xact_lock(hashtext('${name}'));\n${schema}`,
    // The second read sees the table as it was when the statement began. A key that another receiver claimed since then counts
    // as in progress, so that the service sends the delivery again. A client may have sent the same statement twice: a row
    // with this holder is the caller's own claim.
    claim: `
WITH claimed AS (
  INSERT INTO ${table} AS found (key, holder, expires_at) VALUES ($1, $2, ${after('$3')})
  ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
  WHERE found.expires_at <= now()
  RETURNING key
)
SELECT CASE
  WHEN EXISTS (SELECT FROM claimed) THEN 'claimed'
  WHEN EXISTS (SELECT FROM ${table} WHERE key = $1 AND holder IS NULL AND expires_at > now()) THEN 'done'
  WHEN EXISTS (SELECT FROM ${table} WHERE key = $1 AND holder = $2 AND expires_at > now()) THEN 'claimed'
  ELSE 'in_progress'
END AS claim`,
    renew: `
UPDATE ${table} SET expires_at = ${after('$3')} WHERE key = $1 AND holder = $2 AND expires_at > now()
RETURNING key`,
    commit: `
INSERT INTO ${table} (key, holder, expires_at) VALUES ($1, NULL, ${after('$2')})
ON CONFLICT (key) DO UPDATE SET holder = NULL, expires_at = excluded.expires_at`,
    release: `DELETE FROM ${table} WHERE key = $1 AND holder = $2`,
    prune: `
WITH pruned AS (DELETE FROM ${table} WHERE expires_at <= now() RETURNING key)
SELECT count(*) AS pruned FROM pruned`,
  };
}
