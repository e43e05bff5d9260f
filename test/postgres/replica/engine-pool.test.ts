import { expect, test, vi } from 'vitest';
import type { Database } from '../../../src/postgres/database/connection.js';
import type { PostgresClient } from '../../../src/postgres/options.js';
import { EnginePool } from '../../../src/postgres/replica/engine-pool.js';

test('a connection that is released twice, as by an error while the worker ends, goes back once', async () => {
  const release = vi.fn();
  const client: PostgresClient = { query: async () => ({ rows: [], rowCount: 0 }), on: vi.fn(), release };
  const database: Pick<Database, 'connect'> = { connect: async () => client };
  const pool = new EnginePool(database);
  const releaseClient = await new Promise<(error?: Error | boolean) => void>((resolve) => {
    pool.connect((_, __, given) => resolve(given ?? (() => {})));
  });
  releaseClient(true);
  releaseClient();
  expect(release.mock.calls).toEqual([[true]]);
});
