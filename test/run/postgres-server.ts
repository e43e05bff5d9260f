import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Pool, type PoolConfig } from 'pg';
import { freePort } from './free-port.js';
import { type InstalledPostgres, makePostgresFolder, type PostgresFolder } from './postgres-programs.js';
import type { StoppableServer } from './stoppable-server.js';

const run = promisify(execFile);

/** A PostgreSQL of its own, on the loopback. */
export interface PostgresServer extends StoppableServer {
  readonly pool: Pool;
  /** With the user and the password. */
  readonly url: string;
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
  const removeFolder = () => rm(folder.path, { recursive: true, force: true });
  try {
    const connection = await initialise(folder);
    let server = await launch(folder, connection.port, given);
    const kill = () => server.kill('SIGKILL');
    process.once('exit', kill);
    const pool = new Pool({ ...connection, max: 20 });
    let frozen: readonly number[] = [];
    const { user, password, host, port, database } = connection;
    return {
      pool,
      url: `postgres://${user}:${password}@${host}:${port}/${database}`,
      async end(signal) {
        const exit = once(server, 'exit');
        server.kill(signal);
        await exit;
      },
      async start() {
        server = await launchAgain(folder, connection.port, given);
      },
      async freeze() {
        // Each session and each worker is a process of its own, which does not stop with its parent.
        const { rows } = await pool.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
        frozen = rows.map(({ pid }) => pid);
        server.kill('SIGSTOP');
        for (const pid of frozen) process.kill(pid, 'SIGSTOP');
      },
      async thaw() {
        for (const pid of frozen) process.kill(pid, 'SIGCONT');
        server.kill('SIGCONT');
      },
      async stop() {
        await endPool(pool);
        const exit = once(server, 'exit');
        server.kill('SIGINT'); // its fast shutdown: it ends its sessions rather than wait for them
        await exit;
        process.off('exit', kill);
        await removeFolder();
      },
    };
  } catch (error) {
    await removeFolder();
    throw error;
  }
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

async function launch(
  { path, programs, user }: PostgresFolder,
  port: number,
  given: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...given };
  const server = spawn(
    join(programs, 'bin', 'postgres'),
    [
      ...['-D', join(path, 'data'), '-p', String(port)],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { cwd: path, stdio: ['ignore', 'ignore', 'pipe'], ...user },
  );
  await untilReady(server);
  return server;
}

/** After a server that was killed: its sessions end a moment later, and keep the files until then. */
async function launchAgain(
  folder: PostgresFolder,
  port: number,
  given: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launch(folder, port, given);
    } catch (error) {
      if (attempt === 100) throw error;
      await wait(100);
    }
  }
}

async function untilReady(server: ChildProcess): Promise<void> {
  if (server.stderr === null) throw new Error('PostgreSQL was started without its log.');
  const lines: string[] = [];
  for await (const line of createInterface({ input: server.stderr })) {
    lines.push(line);
    if (!line.includes('database system is ready to accept connections')) continue;
    // Left unread, its log would one day fill the pipe.
    server.stderr.resume();
    return;
  }
  throw new Error(`PostgreSQL did not start:\n${lines.join('\n')}`);
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
