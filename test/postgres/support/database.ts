import { afterAll, beforeAll } from 'vitest';
import { Database } from '../../../src/postgres/database/connection.js';
import { migrate } from '../../../src/postgres/database/migrate.js';
import { prepareJobs } from '../../../src/postgres/replica/engine.js';
import { findPostgres } from '../../webhooks/dedupe/postgres-programs.js';
import { type PostgresServer, startPostgres } from '../../webhooks/dedupe/postgres-server.js';

const found = findPostgres();

/** Why there is no PostgreSQL here, if there is none: `describe.skipIf(missingPostgres)`. */
export const missingPostgres = 'missing' in found ? found.missing : undefined;
if (missingPostgres !== undefined) {
  process.emitWarning(`NOT RUN: the tests of the store in PostgreSQL, because ${missingPostgres}.`);
}

/** A PostgreSQL for the tests of one file. */
export interface PostgresAtHand {
  readonly server: PostgresServer;
  readonly connectionString: string;
  /** The name of a new schema with all tables. */
  readonly freshSchema: () => Promise<string>;
}

/** Brings a PostgreSQL up before the tests of this file, and takes it down after them. It can be asked for in the tests. */
export function usePostgres(): () => PostgresAtHand {
  let server: PostgresServer | undefined;
  let schemas = 0;

  beforeAll(async () => {
    if ('programs' in found) server = await startPostgres(found);
  });

  afterAll(async () => {
    await server?.stop();
  });

  return () => {
    if (server === undefined) throw new Error('PostgreSQL is not up yet: ask for it in a test.');
    const { url: connectionString } = server;
    return {
      server,
      connectionString,
      async freshSchema() {
        schemas += 1;
        const schema = `schema_${schemas}`;
        await migrated(connectionString, schema);
        return schema;
      },
    };
  };
}

async function migrated(connectionString: string, schema: string): Promise<void> {
  const database = new Database({ connectionString, schema, poolSize: 2 });
  try {
    await migrate(database, () => prepareJobs(database));
  } finally {
    await database.close();
  }
}
