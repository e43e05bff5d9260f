import { checkOptions } from '../../foundation/options.js';
import {
  after,
  aTableName,
  type PostgresPool,
  type PostgresTable,
  postgresTable,
} from '../../key-value/postgres.js';
import { type DedupeClaim, type DedupeStore, unclaimed } from './dedupe-store.js';

/**
 * Options of `createPostgresDedupeStore`.
 */
export interface PostgresDedupeStoreOptions {
  /**
   * The name of the table, with or without a schema: lowercase letters, digits and underscores. Receivers of different
   * subscriptions need different tables, because both get the same bytes and each must handle them. Default: `webhook_deliveries`.
   */
  readonly table?: string | undefined;
}

/**
 * A dedupe store in PostgreSQL, with methods for its table.
 */
export interface PostgresDedupeStore extends DedupeStore, PostgresTable {}

/**
 * Creates a dedupe store in PostgreSQL 9.5 or newer, for receivers that run in several processes. It needs a pool of the `pg` package,
 * which you close. Each operation is one statement, so it is atomic and needs no transaction, at any isolation level. Keys expire by the database's clock. Pass
 * a pool and not a client with an open transaction, because an uncommitted claim makes the others wait. Call `migrate` once before the
 * first delivery, or run `schema` yourself.
 *
 * The store listens to the pool's `error` event, so that a database restart does not end the process. It warns of the first error if
 * there is no other listener.
 *
 * @throws ConfigurationError if `table` is not a plain lowercase name. Each promise rejects with the error of the pool.
 *
 * @example
 * ```ts
 * import { createPostgresDedupeStore, createWebhookReceiver } from 'messaging-automation/webhooks';
 * import { Pool } from 'pg';
 *
 * const pool = new Pool({ connectionString: 'postgres://127.0.0.1/orders' });
 * const dedupe = createPostgresDedupeStore(pool, { table: 'order_webhooks' }); // first: await dedupe.migrate()
 * const receiver = createWebhookReceiver({ secret: 'whsec_example', dedupe });
 * ```
 */
export function createPostgresDedupeStore(
  pool: PostgresPool,
  options: PostgresDedupeStoreOptions = {},
): PostgresDedupeStore {
  checkOptions('createPostgresDedupeStore', options, { table: aTableName });
  const { query, table, ...rest } = postgresTable(
    pool,
    options.table ?? 'webhook_deliveries',
    'holder',
    unclaimed,
  );
  const statements = statementsOn(table);
  return {
    ...rest,
    async claim(key, { holder, lease }) {
      const { rows } = await query(statements.claim, [key, holder, lease]);
      const claim = claims.find((possible) => possible === rows[0]?.claim);
      if (claim !== undefined) return claim;
      throw new TypeError('The dedupe store needs a pool that returns rows as objects, as pools of pg do.');
    },
    async renew(key, { holder, lease }) {
      const { rows } = await query(statements.renew, [key, holder, lease]);
      return rows.length > 0;
    },
    async commit(key, { ttl }) {
      await query(statements.commit, [key, ttl]);
    },
    async release(key, { holder }) {
      await query(statements.release, [key, holder]);
    },
  };
}

const claims: readonly DedupeClaim[] = ['claimed', 'in_progress', 'done'];

/** The statements of a dedupe store on one table. A row with a holder is a claim. A row without a holder is done. */
function statementsOn(table: string) {
  return {
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
  };
}
