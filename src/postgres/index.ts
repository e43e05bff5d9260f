/**
 * Keeps the state of the reference server in PostgreSQL, so that several servers share one service. Requires `pg` and
 * `graphile-worker`.
 *
 * ```ts no-run
 * import { postgresStore } from 'messaging-automation/postgres';
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({
 *   store: postgresStore({ connectionString: 'postgres://user:password@database.internal/messaging' }),
 * });
 * console.log(await server.listen({ port: 4010 }));
 * ```
 *
 * Read on: [share one service](../../docs/guides/share-one-service.md).
 *
 * @module messaging-automation/postgres
 */
export type { PostgresPool, PostgresRetention, PostgresStoreOptions } from './options.js';
export { type PostgresStore, postgresStore } from './postgres-store.js';
