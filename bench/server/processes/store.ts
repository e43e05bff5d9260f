import type { ReferenceServerOptions } from '../../../dist/server.js';

/** The variables that say where a program's server keeps what it holds. */
export const storeVariables = { url: 'BENCH_STORE', schema: 'BENCH_STORE_SCHEMA' } as const;

/** The options of a server that keeps what it holds where the environment says: in memory where it says nothing. */
export async function storeOptions(): Promise<Pick<ReferenceServerOptions, 'store'>> {
  const { [storeVariables.url]: connectionString, [storeVariables.schema]: schema } = process.env;
  if (connectionString === undefined) return {};
  const { postgresStore } = await import('../../../dist/postgres.js');
  const store = postgresStore({ connectionString, schema });
  await store.migrate();
  return { store };
}
