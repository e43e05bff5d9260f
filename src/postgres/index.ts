export type { PostgresClient, PostgresPool, PostgresRetention, PostgresStoreOptions } from './options.js';
export { type PostgresStore, postgresStore } from './postgres-store.js';
