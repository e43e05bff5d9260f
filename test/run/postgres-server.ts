import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Pool, type PoolConfig } from 'pg';
import { freePort } from './free-port.js';
import { type InstalledPostgres, makePostgresFolder, type PostgresFolder } from './postgres-programs.js';
import { type StoppableServer, startStoppable, untilReady } from './stoppable-server.js';

const run = promisify(execFile);

/** A PostgreSQL of its own, on the loopback. */
export interface PostgresServer extends StoppableServer {
  readonly pool: Pool;
  /** With the user and the password. */
  readonly url: string;
  /** Makes a backup of its files, and returns what replaces a crashed server by one that goes on from the backup. */
  backUp(): Promise<() => Promise<void>>;
}

export interface PostgresServerOptions {
  /** Whether what was committed outlives the machine, at the price that it has in production. Default: false. */
  readonly durable?: boolean;
  /** Further settings of the server. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts a server of one's own, with an empty database. Its planner is as it comes. */
export async function startPostgres(
  installed: InstalledPostgres,
  { durable = false, settings = {} }: PostgresServerOptions = {},
): Promise<PostgresServer> {
  const given = { fsync: durable ? 'on' : 'off', ...settings };
  const folder = await makePostgresFolder(installed);
  try {
    const connection = await initialise(folder);
    const { user, password, host, port, database } = connection;
    const server = await startStoppable({
      launch: () => launch(folder, port, given),
      stopSignal: 'SIGINT', // its fast shutdown: it ends its sessions rather than wait for them
      folder: folder.path,
      async otherProcesses() {
        const { rows } = await pool.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
        return rows.map(({ pid }) => pid);
      },
    });
    const pool = new Pool({ ...connection, max: 20 });
    pool.on('error', () => {}); // a test may end the server
    return {
      ...server,
      pool,
      url: `postgres://${user}:${password}@${host}:${port}/${database}`,
      backUp: () => backUp(folder, server),
      async stop() {
        await endPool(pool);
        await server.stop();
      },
    };
  } catch (error) {
    await rm(folder.path, { recursive: true, force: true });
    throw error;
  }
}

async function backUp({ path }: PostgresFolder, server: StoppableServer): Promise<() => Promise<void>> {
  const [data, copy] = [join(path, 'data'), join(path, 'backup')];
  const replace = async (from: string, to: string) => {
    await rm(to, { recursive: true, force: true });
    await run('cp', ['--archive', from, to]);
  };
  await server.end('SIGINT');
  await replace(data, copy);
  await server.start();
  return async () => {
    await server.end('SIGQUIT'); // without a checkpoint, as in a crash
    await replace(copy, data);
    await server.start();
  };
}

/** Makes the database's files, and gives what a client connects with. */
async function initialise({ path, programs, user }: PostgresFolder) {
  const connection = {
    host: '127.0.0.1',
    port: await freePort(),
    user: 'postgres',
    password: randomUUID(),
    database: 'postgres',
  } satisfies PoolConfig;
  const passwordFile = join(path, 'password');
  await writeFile(passwordFile, connection.password, { mode: 0o600 });
  if (user !== undefined) await chown(passwordFile, user.uid, user.gid);
  const initdb = join(programs, 'bin', 'initdb');
  await run(
    initdb,
    [
      `--pgdata=${join(path, 'data')}`,
      `--pwfile=${passwordFile}`,
      '--username=postgres',
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
    { cwd: path, ...user },
  );
  return connection;
}

/** Starts the server. After one that was killed, its sessions end a moment later, and keep the files until then. */
async function launch(
  { path, programs, user }: PostgresFolder,
  port: number,
  given: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...given };
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  for (let attempt = 1; ; attempt += 1) {
    const server = spawn(
      join(programs, 'bin', 'postgres'),
      ['-D', join(path, 'data'), '-p', String(port), ...words],
      { cwd: path, stdio: ['ignore', 'ignore', 'pipe'], ...user },
    );
    try {
      await untilReady('PostgreSQL', server.stderr, 'database system is ready to accept');
      return server;
    } catch (error) {
      if (attempt === 100) throw error;
      await wait(100);
    }
  }
}

/** Ends a pool, and waits until its connections are closed. `end` alone does not wait for the connections to close, and a server that stops tells those of its end as an error. */
export async function endPool(pool: Pool): Promise<void> {
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
