import { findPostgres } from '../../test/run/postgres-programs.js';
import { type PostgresServer, startPostgres } from '../../test/run/postgres-server.js';
import { storeVariables } from '../server/processes/store.js';

/** A PostgreSQL of its own, with fsync on, for one run. */
export interface BenchDatabase extends AsyncDisposable {
  readonly server: PostgresServer;
  /** The environment of programs that share a store that nobody has used. */
  freshStore(): { readonly environment: Readonly<Record<string, string>>; readonly schema: string };
}

export async function startDatabase(): Promise<BenchDatabase> {
  const found = await findPostgres();
  if ('missing' in found) throw new Error(`There is no PostgreSQL: ${found.missing}.`);
  const server = await startPostgres(found, { durable: true });
  let stores = 0;
  return {
    server,
    freshStore() {
      stores += 1;
      const schema = `bench_${stores}`;
      return {
        schema,
        environment: { [storeVariables.url]: server.url, [storeVariables.schema]: schema },
      };
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
