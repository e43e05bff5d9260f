import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { Database } from '../../../src/postgres/database/connection.js';
import { migrate } from '../../../src/postgres/database/migrate.js';
import { prepareJobs } from '../../../src/postgres/replica/engine.js';
import { notRun } from '../../run/debian.js';
import { findPostgres, sharedPostgres } from '../../run/postgres-programs.js';
import { endPool, type PostgresServer, startPostgres } from '../../run/postgres-server.js';
import { shared } from '../../run/shared.js';

const found = await shared(sharedPostgres);

/** Why there is no PostgreSQL here, if there is none: `describe.skipIf(missingPostgres)`. */
export const missingPostgres = 'missing' in found ? found.missing : undefined;
if (missingPostgres !== undefined) notRun('the tests of the store in PostgreSQL', missingPostgres);

/** A database for the tests of one file. */
export interface PostgresAtHand {
  readonly server: Pick<PostgresServer, 'pool' | 'url'>;
  readonly connectionString: string;
  /** The name of a new schema with all tables. */
  readonly freshSchema: () => Promise<string>;
}

/** A server of one's own, for tests that end it, stop it or slow it. */
export interface OwnPostgresAtHand extends PostgresAtHand {
  readonly server: PostgresServer;
}

/** Creates a database on the run's PostgreSQL before the tests of this file, and drops it after them. */
export function usePostgres(): () => PostgresAtHand {
  return useServer(async () => {
    if ('missing' in found) throw new Error(found.missing);
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    await asAdministrator(found.url, `create database ${name}`);
    const url = new URL(`/${name}`, found.url).href;
    const pool = new Pool({ connectionString: url, max: 10 });
    pool.on('error', () => {}); // a test may cut the connections of its database
    return {
      url,
      pool,
      async stop() {
        await endPool(pool);
        await asAdministrator(found.url, `drop database ${name} with (force)`);
      },
    };
  });
}

/** Starts a PostgreSQL before the tests of this file, and stops it after them. */
export function useOwnPostgres(): () => OwnPostgresAtHand {
  return useServer(async () => {
    const own = await findPostgres();
    if ('missing' in own) throw new Error(own.missing);
    return startPostgres(own);
  });
}

function useServer<Server extends Pick<PostgresServer, 'pool' | 'url' | 'stop'>>(
  start: () => Promise<Server>,
) {
  let server: Server | undefined;
  let schemas = 0;

  beforeAll(async () => {
    if (missingPostgres === undefined) server = await start();
  });

  afterAll(() => server?.stop());

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

async function asAdministrator(connectionString: string, statement: string): Promise<void> {
  const pool = new Pool({ connectionString, max: 1 });
  await pool.query(statement);
  await pool.end();
}

async function migrated(connectionString: string, schema: string): Promise<void> {
  const database = new Database({ connectionString, schema, poolSize: 2 });
  try {
    await migrate(database, () => prepareJobs(database));
  } finally {
    await database.close();
  }
}
